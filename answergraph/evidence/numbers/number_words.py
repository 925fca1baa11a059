"""Words around numbers: multipliers such as million, signs, bounds, and context such as versions."""

from __future__ import annotations

import re
from decimal import Decimal

_SIZES = {
    "hundred hundreds 百 백": 2,
    "k thousand thousands tausend tsd mil mila mille тыс тысяч тысяча тысячи тис тисяч duizend "
    " tusen tys tisíc tysięcy tys nghìn ribu ألف हज़ार "
    "हजार 千 천 พัน": 3,
    "万 萬 만 หมื่น": 4,
    "lakh lakhs लाख แสน": 5,
    "m million millions millionen mio mn mln millón millones milhão milhões milione milioni miljoen miljoner miljon milion "
    "milionů milionów миллион миллиона миллионов млн мільйон milyon juta triệu مليون मिलियन ล้าน 百万 百萬": 6,
    "crore crores करोड़": 7,
    "億 亿 억": 8,
    "b bn billion milliard milliards milliarde milliarden mrd mld miliardo miliardi miljard miljarder miliard "
    "миллиард миллиарда "
    "миллиардов млрд мільярд milyar miliar tỷ bilhão bilhões مليار": 9,
    "t tn trillion trillions billionen billón billones trilhão triliun bilione bilioni триллион трлн 兆 조": 12,
}
_DOZENS = {"dozen": 12, "dozens": 12, "dutzend": 12, "douzaine": 12, "docena": 12, "dozzina": 12}
MAGNITUDES = {word: Decimal(10) ** power for words, power in _SIZES.items() for word in words.split()}
MAGNITUDES |= {word: Decimal(size) for word, size in _DOZENS.items()}
"""Multipliers after a number."""

LETTERS = frozenset({"m", "b", "t"})
"""Multipliers that may also be units: they count only after amounts of money."""

SIZE_WORD = re.compile(r" ?([^\W\d_]+)(?!\w)\.?")
CJK_SIZE = re.compile(r" ?([百千万萬億亿兆백천만억조])(?![克米瓦卡分])")
UNKNOWN_SIZE = re.compile(r" (?:\w*(?:illion|illiard|illón)\w*|score|gross|myriads?|zillions?)\b", re.IGNORECASE)

_BOUNDS = """
at_least at_most up_to more_than less_than fewer_than no_more_than about approximately approx around nearly almost roughly circa
ca over under above below between not
etwa ungefähr rund mindestens höchstens bis_zu mehr_als weniger_als über unter fast knapp
environ au_moins au_plus plus_de moins_de jusqu'à près_de presque
al_menos como_máximo más_de menos_de hasta casi unos aproximadamente
circa almeno al_massimo più_di meno_di fino_a quasi cerca_de pelo_menos mais_de até quase
около более менее до примерно свыше не_менее не_более почти
ongeveer minstens meer_dan minder_dan maximaal około ponad mniej_niż co_najmniej
"""
BOUND_BEFORE = re.compile(
    r"(?:(?<![-=<\w\"'/])(?:[<>≤≥~≈≲≳]|<=|>=)|(?<!\w)(?:"
    + "|".join(re.escape(words).replace("_", " ") for words in _BOUNDS.split())
    + r")\.?|[约約至少最多超过不到近大概])\s?\Z",
    re.IGNORECASE,
)
BOUND_AFTER = re.compile(
    r"\+(?![\w+])|\s?(?:or|oder|ou|o|или)\s"
    r"(?:more|less|fewer|higher|lower|above|below|mehr|weniger|plus|moins|más|menos|più|более|менее)\b"
    r"|\s?[\w]{0,3}(?:以上|以下|未満|未满|左右|多)",
    re.IGNORECASE,
)
_BETWEEN = r"(?:\.\.\.?|(?<!\n)[-\u2012-\u2015~〜～]|to|bis|à|through|до|ate|até|tot|至|到|から)"
RANGE_BEFORE = re.compile(
    rf"[0-9][%°\w]{{0,3}}\s?{_BETWEEN}\s?\Z|(?:between|zwischen|entre|tra|между)\s[0-9.,]+\s\w{{1,3}}\s\Z", re.IGNORECASE
)
RANGE_AFTER = re.compile(rf"\s?[%°]?\s?{_BETWEEN}\s?[0-9]", re.IGNORECASE)

_NAMES = """
version versions release rev revision ver build commit issue ticket pull_request rfc pep python node java php ruby perl go rust
ubuntu debian django python3 v
"""
NAMED_BEFORE = re.compile(
    r"(?:(?<!\w)(?:" + "|".join(word.replace("_", " ") for word in _NAMES.split()) + r")\s|#|第)\Z", re.IGNORECASE
)
_MONTHS = (
    "jan(?:uary?|vier)?|feb(?:ruary?)?|mar(?:ch|s)?|märz|apr(?:il)?|ma[yi]|june?|juni|juin|july?|juli|juil(?:let)?|aug(?:ust)?|août"
    "|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?|déc(?:embre)?|févr(?:ier)?|avr(?:il)?"
)
DATE_BEFORE = re.compile(rf"(?<!\w)(?:{_MONTHS})\.?\s(?:[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s)?\Z", re.IGNORECASE)
DATE_AFTER = re.compile(rf"\.?\s(?:{_MONTHS})\.?(?!\w)", re.IGNORECASE)

MINUS_WORD = re.compile(r"(?<!\w)(?:minus|negative|moins|menos|meno|минус)\s\Z|(?:マイナス|负|負)\s?\Z", re.IGNORECASE)
COMPOUND_AFTER = re.compile(
    r"\s?(?:d|days?|h|hrs?|hours?|m|min|mins|minutes?|ft|feet|lbs?|°|std)\s[0-9]+\s?"
    r"(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|in|oz)\b",
    re.IGNORECASE,
)
COMPOUND_BEFORE = re.compile(
    r"[0-9]\s?(?:d|days?|h|hrs?|hours?|m|min|mins|minutes?|ft|feet|lbs?|°|std|j|時間|小时|分)\s?\Z", re.IGNORECASE
)
