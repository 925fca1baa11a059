"""Patterns of error messages of test frameworks, systems and languages."""

from __future__ import annotations

import re

_IGNORE = re.IGNORECASE

DISK = re.compile(
    r"no space left on device|\bENOSPC\b|disk (?:is )?full|disk quota exceeded|\bEDQUOT\b|not enough space on the disk"
    r"|Errno 28\b",
    _IGNORE,
)
"""The disk is full."""

CONNECTION = re.compile(
    r"connection[ _](?:was )?refused|\bECONNREFUSED\b|connection[ _](?:was )?reset|\bECONNRESET\b"
    r"|connection aborted|\bECONNABORTED\b"
    r"|broken pipe|\bEPIPE\b|actively refused|network is unreachable|\bENETUNREACH\b|no route to host|\bEHOSTUNREACH\b"
    r"|name or service not known|\bENOTFOUND\b|temporary failure in name resolution|\bEAI_AGAIN\b|nodename nor servname"
    r"|getaddrinfo failed|unknownhostexception|remote end closed connection|server disconnected"
    r"|\bERR_(?:NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE|CONNECTION_\w+)|socket (?:disconnected|hang up)"
    r"|could not connect to (?:server|host)|failed to establish a new connection"
    r"|50[234] (?:bad gateway|service (?:temporarily )?unavailable|gateway time-?out)|ConnectionRefusedError|ConnectException"
    r"|429 (?:client error: )?too many requests",
    _IGNORE,
)
"""A peer could not be reached."""

AWAITED_ELEMENT = re.compile(
    r"waiting for (?:navigation|expect|locator|selector|element|visibility|presence|getBy|get_by)|NoSuchElement"
    r"|locator resolved to|navigating to \"|[Uu]nable to (?:find|locate) (?:an )?element|[Ee]xpected to find element"
)
"""The test waited for something on a page; the time-out does not tell whether the page or the test is wrong."""

ACTED = re.compile(r"^[ \t]*- performing \w+ action[ \t]*$", re.MULTILINE)
"""Playwright found the element ready and acted on it."""

TIMEOUT = re.compile(
    r"timed?[ -]?out|tried for \d+ second|\bETIMEDOUT\b|TimeoutError|TimeoutExpired|TimeoutException|deadline exceeded"
    r"|exceeded (?:the )?(?:timeout|time limit|deadline)",
    _IGNORE,
)
"""A wait timed out."""

RESOURCES = re.compile(
    r"\bMemoryError\b|OutOfMemoryError|out of memory|cannot allocate memory|\bENOMEM\b|too many open files|\bEMFILE\b|\bENFILE\b"
    r"|can't start new thread|unable to create new native thread|resource temporarily unavailable|\bOOM-?killed\b|heap limit",
    _IGNORE,
)
"""The machine ran out of a resource."""

ENVIRONMENT = re.compile(
    r"environment variable\W+\w+\W+(?:is )?(?:not set|missing|undefined|required)"
    r"|(?:missing|required|unset|no) environment variables?\b"
    r"|missing dependencies to run browsers|\b(?:target|page|context|browser|session)\b.{0,30} (?:closed|crashed|deleted)"
    r"|session not created|could not start a new session|invalid session id|no such window|DevToolsActivePort"
    r"|driver executable must be set|failed to connect to binary|\bno supported methods remain"
    r"|outgoing traffic has been disabled|(?:cannot|couldn't) find the requested files in the (?:local|disk) cache"
    r"|executable doesn't exist at|(?:could not|cannot|unable to) (?:find|locate) (?:a )?(?:chrome|firefox|docker)"
    r"|chrome(?:driver)? (?:binary )?not (?:found|reachable)|could not find a valid docker environment|docker daemon running"
    r"|command not found|is not recognized as an internal or external command|executable (?:file )?not found in \$?PATH"
    r"|password authentication failed|access denied for user|certificate (?:verify failed|has expired)|\bERR_CERT_"
    r"|has no attribute '\w+'\s{1,9}\S{0,300}(?:site|dist)-packages/\S{1,300}:\d+: AttributeError"
    r"|Errno 13\] Permission denied|EACCES: permission denied|read-only file system|\bEROFS\b|cannot open shared object file"
    r"|unable to locate credentials|could not automatically determine credentials|api_?key (?:client option )?must be set"
    r"|(?:missing|no|invalid|incorrect) api[ _]key\b|validation errors? for \w*(?:settings|config)\b|unsupported locale setting"
    r"|no time zone found with key|no \$DISPLAY|(?:cannot|can't|could not) (?:open|connect to) display|missing X server"
    r"|\bspawn \S+ ENOENT|cannot run program|exec format error|^(?:/bin/)?sh: (?:line )?\d+: \S+ not found"
    r"|subprocess\.py:\d+: FileNotFoundError|\bGLIBC\w*_[\d.]+\W? not found|binary incompatib|requires (?:a different )?python"
    r"|no NVIDIA driver|no CUDA-capable device|CUDA driver version is insufficient|no kernel image is available"
    r"|FATAL: +(?:database|role) \"[^\"\n]+\" does not exist|unknown database '|not a git repository|detected dubious ownership"
    r"|config\.webServer was not able to start|executable needs to be in PATH|cannot find chrome binary"
    r"|\bEADDRINUSE\b|address already in use|compiled against a different Node|UnsupportedClassVersionError",
    _IGNORE | re.MULTILINE,
)
"""Something the test needs is missing."""

ENVIRON = re.compile(r"environ\[|<frozen os>|\benviron\(\{|lib/python[\d.]+/os\.py")
"""An environment variable was read."""

IMPORT = re.compile(
    r"ModuleNotFoundError|ImportError|No module named|cannot import name|Cannot find module|ERR_MODULE_NOT_FOUND"
    r"|ClassNotFoundException|NoClassDefFoundError|cannot find package|cannot open shared object file",
    _IGNORE,
)
"""Code that the test needs is missing."""

UNREADABLE = re.compile(
    r"(?:Parse failure|SyntaxError|Unexpected token|Transform failed)(?s:.{0,200}?)\n?[Aa]t file: (?P<path>[^\s:]+)"
    r"|^E +File \"(?P<module>[^\"\n]+)\", line \d+\n(?:E .*\n){1,4}?E +(?:Syntax|Indentation|Tab)Error",
    re.MULTILINE,
)
"""A source file cannot be parsed."""

MISUSE = re.compile(
    r"strict mode violation|Execution context was destroyed|invalid URL|not a valid (?:CSS )?selector"
    r"|invalid selector|stale element reference|\.mock\w+ is not a function"
    r"|does not have the attribute '|while parsing (?:css )?selector|(?:monkeypatch|mock)\.py:\d+: AttributeError"
    r"|use import statement outside a module|Jest encountered an unexpected token|Support for the experimental syntax"
    r"|test suite must contain at least one test|No test suite found in file|did not expect test(?:\.\w+)?\(\) to be called"
    r"|\b(?:document|window|navigator|localStorage|fetch|Text(?:En|De)coder|regeneratorRuntime|(?:Intersection|Resize)Observer"
    r"|jest|vi|cy|chai|sinon|describe|it|test|expect|before|after|(?:before|after)(?:Each|All))'? is not defined\b"
    r"|matchMedia is not a function|async def functions are not natively supported"
    r"|Working outside of (?:application|request) context|Database access not allowed|settings are not configured"
    r"|Apps aren't loaded yet|no such table: |relation \"[^\"\n]{1,80}\" does not exist"
    r"|TestingInjector|DynamicTestModule|could not find react-redux context|outside (?:of )?an? <Router>"
    r"|context of a <Router>|No QueryClient set|^E +(?:AssertionError: )?assert <\w*Mock ",
    _IGNORE | re.MULTILINE,
)
"""A tool of the test is used or prepared wrongly: its runner, browser, requests, database, doubles or providers."""

NOT_COMPUTED = re.compile(
    r"<Response \[\d|\bstatus_?code\b|\bstatusCode\b|\bclient\.(?:get|post|put|patch|delete)\(|got \d{3} \""
    r"|\b(?:supertest|superagent|chai-http|restassured|MockMvc)\b|\bexpect\((?:page|locator|this\.)|\b(?:driver|page|cy)\."
    r"|toHaveBeen\w*Called|\bassert_(?:not_)?(?:any_|has_)?call|Number of calls|Wanted but not invoked|[Ss]napshot"
    r"|Received length: +0|toContain\b|toMatch\b|\blen\(\[\]\)|^E\s+assert (?:\[\]|\{\}|None|'[^']*' in )|\bin \[\]",
    re.MULTILINE,
)
"""A check looks at a response, a page, a replaced part, a snapshot, or whether something holds something else."""

SETUP = re.compile(
    r"fixture '[^']*' not found|ScopeMismatch|failed on setup with|recursive dependency involving fixture"
    r"|in setUp(?:Class|Module)?\b|ERROR at setup of|(?<![A-Za-z])Before(?:All|Each|Class|Method|Test|Suite)\b"
    r"|\binvokeConfiguration|\"(?:before|after) ?(?:[Aa]ll|[Ee]ach)\" hook"
    r"|caused by test hooks|\b_callCircusHook\b",
)
"""The set-up failed; the test did not run."""

LINTED = re.compile(
    r"^line \d+, col \d+, (?:error|warning) - |^\S+:\d+(?::\d+)?:? (?:error: .+ \[[\w-]+\]$|[CEFWR]\d{3,4}:? )",
    re.IGNORECASE | re.MULTILINE,
)
"""A linter or a type checker complains: ESLint, mypy, Pylint, flake8."""

RANDOM = re.compile(
    r"\brandom\.|\brandom(?:ly)?\b.{0,12}\bseed|\bseed\s*[=:]\s*\d|PYTHONHASHSEED|\brand(?:int|range|om_\w+)\(|\bshuffle|\buuid"
    r"|\bnp\.random|\bMath\.random|\bFaker?\(|\bsample\(|\bchoices?\(",
    _IGNORE,
)
"""Randomness is involved."""

SEED = re.compile(r"\bseed\b[^\d\n]{0,20}(\d+)", _IGNORE)
"""The seed of a run's random numbers."""

CLOCK_CALL = re.compile(
    r"\btoday\(|\bnow\(|\butcnow\(|\btime\.time\(|\blocaltime\(|\bgmtime\(|\bstrftime\(|Date\.now|new Date\(\)|Instant\.now"
    r"|currentTimeMillis"
)
"""The clock is read."""

EXPIRED = re.compile(r"\bexpired?\b|not yet valid|is in the past|no longer valid|outdated certificate|ExpiredSignature", _IGNORE)
"""A date in the test's data has expired."""

YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

TIMING = re.compile(
    r"\bsleep\(|\bThread|\bthreading\b|\basyncio\b|\btimeout|\belapsed|\blatency|\bperf_counter|\bmonotonic\("
    r"|\bqueue\b|\block(?:ed)?\b|\bwait(?:_for|ed|ing)?\b|\bin time\b|\bdeadline|\bpoll|\bretry|\bmillis|\bseconds\b"
    r"|\brace\b|\bin the background\b|\bstale element|\bexecutor\b|\bfuture\b",
    _IGNORE,
)
"""The result depends on timing."""

SURROUNDINGS = re.compile(
    r"\benviron|\bgetenv|\bchdir|\bgetcwd|\bcache|\bsession\b|\bglobal\b|\bsingleton|\bregistry|\bdatabase|\bconnect|\bsocket"
    r"|\bhttp|\burl|\bPath\(|\bopen\(|\blocale|\btimezone|\btz\b|\bport\b|\bgethost|\binstance\(|\bmkdir|\btempfile|\bdate\b"
    r"|\bdatetime\b|\bdate\(|\bclock\b|\btime\.|\bset\(",
    _IGNORE,
)
"""The test depends on state, files, the network or dates."""

RAISES = re.compile(r"pytest\.raises|assertRaises|DID NOT RAISE|toThrow|assertThrows")
"""The test is about an error."""

UNNOTICED = re.compile(
    r"^.*(?:Exception in thread|was never retrieved|Exception ignored in|UnhandledThreadException|UnhandledPromiseRejection"
    r"|Unhandled exception|\bAssertionError\b|^panic: ).*$",
    _IGNORE | re.MULTILINE,
)
"""A failure that is not reported to a test."""

SYSTEM = {"disk": DISK, "connection": CONNECTION, "time-out": TIMEOUT, "import": IMPORT, "setup": SETUP}
"""Error patterns of systems, not of tests."""

PROGRAM = re.compile(
    r"\bexeca\b|CalledProcessError|child_process|Command failed|non-zero exit|exit(?:ed)? (?:with|code|status)\b", _IGNORE
)
"""Another program failed."""

UNSURE = (TIMING, RANDOM, CLOCK_CALL, SURROUNDINGS, RAISES)
"""Patterns that may explain a failure without the application."""
