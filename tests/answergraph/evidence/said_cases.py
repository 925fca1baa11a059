"""Claims beside a true quote: what it says, what it denies, what it says of something else, and what it does not speak of."""

SAID: tuple[tuple[str, str, str], ...] = (
    # a sentence of a document, a claim that it says, a claim that it contradicts
    ("The disk of db-7 is full.", "The disk of db-7 is full", "The disk of db-7 is not full"),
    (
        "12:03:11 ERROR worker-3: connection to redis refused",
        "worker-3 could not connect to redis: connection refused",
        "no ERROR",
    ),
    ("41 passed, 2 failed in 3.2 s", "2 tests failed", "3 tests failed"),
    ("Payment is due within 30 days of the invoice date.", "Payment is due within 30 days", "Payment is due within 60 days"),
    ("The tenant may not keep pets in the flat.", "The tenant may not keep pets", "The tenant may keep pets"),
    ("Revenue rose by 12 % to EUR 4.1 million in 2024.", "Revenue rose by 12 % in 2024", "Revenue rose by 21 % in 2024"),
    ("Patient denies chest pain.", "Patient denies chest pain", "Patient has severe chest pain and dyspnoea"),
    (
        "Version 2.4 removes the flag --fast.",
        "The flag --fast is removed in version 2.4",
        "The flag --fast is removed in version 3.0",
    ),
    (
        "Grace Hopper signed the contract on 3 May 2026.",
        "Grace Hopper signed the contract",
        "Grace Hopper never signed the contract",
    ),
    ("The build was cancelled because the cache was corrupt.", "The cache was corrupt", "The cache was not corrupt"),
    (
        "No vulnerabilities were found in requests 2.31.",
        "No vulnerabilities in requests 2.31",
        "Vulnerabilities in requests 2.31",
    ),
    ("The pump stops when the pressure exceeds 8 bar.", "The pump stops when pressure exceeds 8 bar", "The pump stops at 6 bar"),
    ("Der Vertrag wurde am 1. Mai gekündigt.", "Der Vertrag wurde gekündigt", "Der Vertrag wurde nicht gekündigt"),
    ("Le serveur ne répond pas depuis lundi.", "Le serveur ne répond pas", "Le serveur répond depuis lundi"),
    ("The refund of 120.00 USD was sent to Ada.", "Ada got a refund of 120 USD", "Ada got a refund of 210 USD"),
    ("Shipping to Norway takes 5 days.", "Shipping to Norway takes 5 days", "Shipping to Norway takes 15 days"),
    ("The test suite did not finish in time.", "The test suite did not finish", "The test suite did finish"),
    (
        "Access to /admin is denied without a token.",
        "Access to /admin without a token is denied",
        "Access to /admin with a token",
    ),
    ("Warranty: 24 months, batteries excluded.", "The warranty is 24 months", "The warranty is 36 months"),
    ("Commit a1b2c3d introduced the regression.", "Commit a1b2c3d introduced the regression", "Commit a1b2c3e introduced it"),
    ("The dose is 5 mg twice a day.", "The dose is 5 mg twice a day", "The dose is 50 mg twice a day"),
    ("The file config.yaml is missing.", "config.yaml is missing", "config.yaml is not missing"),
    ("磁盘已满，服务停止。", "磁盘已满", "磁盘没有满"),
    (
        "The committee approved the budget by 7 votes to 2.",
        "The committee approved the budget",
        "The committee rejected the plan",
    ),
    ("Latency fell from 300 ms to 120 ms after the fix.", "Latency fell to 120 ms", "Latency fell to 90 ms"),
)
ELSEWHERE: tuple[tuple[str, str], ...] = (
    ("The disk of db-7 is full.", "The disk of db-8 is full"),
    ("Grace Hopper signed the contract on 3 May 2026.", "Signed by Ada Lovelace on 3 May 2026"),
    ("12:03:11 ERROR worker-3: connection to redis refused", "worker-4: connection to redis refused"),
    ("Shipping to Norway takes 5 days.", "Shipping to Iceland takes 5 days"),
    ("The file config.yaml is missing.", "config.toml is missing"),
    ("Revenue rose by 12 % to EUR 4.1 million in 2024.", "In 2024 the revenue of Contoso rose by 12 %"),
    ("No vulnerabilities were found in requests 2.31.", "No vulnerabilities were found in urllib3 2.31"),
    ("The refund of 120.00 USD was sent to Ada.", "A refund of 120 USD was sent, to Grace"),
)
"""A sentence, and a claim of the same kind about something else."""
