"""Faults that an independent test found in the checks, by the number of the finding; each test failed before its fix.

F9 is in ``test_claim_checking_trust_findings_of_numbers.py``, F5 in ``test_verifier_edits.py``.
F1, F3, F4 and F10 are in ``tests/middleware/test_grounded_answer_trust_findings.py``.
"""

import json
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from answergraph import Grounded, Quote, check_evidence
from answergraph.evidence import ToolRun
from tests.answergraph.evidence.altered_cases import ALTERED
from tests.answergraph.evidence.measure_real import accepted, cases
from tests.answergraph.evidence.real_cases import FAITHFUL
from tests.answergraph.evidence.real_texts import RealText, real_texts
from tests.answergraph.evidence.test_claim_checking_trust_findings_of_numbers import counted
from tests.suite.fields import places
from tests.torture.growth import MAX_EXPONENT, growth

QUOTES_OF_A_KIND = 100
"""The texts are those of the installed packages, which differ; fewer quotes make the share one of chance, not of the checker."""
few = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def texts() -> list[RealText]:
    return list(real_texts(20, languages=0))


def quoted(quote: str, *texts: str, **args: Any) -> bool:
    runs = [ToolRun(f"call_{place}", "read", args, (text,)) for place, text in enumerate(texts)]
    return check_evidence({"quote": quote}, runs, marks={"quote": Quote()}).support == 1


JAPANESE = """このサーバーは本日の正午に再起動される予定ですので、作業中の方は
必ずデータを保存してから一旦ログアウトしてくださいますようお願い
いたします。ご協力ありがとうございます。"""
CHINESE = """服务器将于今天中午重新启动，请所有正在使用系统的用户务必提前
保存数据并退出登录，以免造成不必要的数据丢失，感谢您的理解与
配合。"""
KOREAN = """서버는 오늘 정오에 다시 시작될 예정이므로 작업 중인 모든 사용자는 반드시
데이터를 저장한 뒤 로그아웃해 주시기 바랍니다. 협조에 감사드립니다. 문의는
관리자에게 해 주십시오."""
ARABIC = """سيتم إعادة تشغيل الخادم اليوم عند الظهر لذلك يجب على جميع المستخدمين
حفظ بياناتهم ثم تسجيل الخروج قبل ذلك الوقت حتى لا تضيع التغييرات التي
قاموا بها."""
GERMAN = """Der Server wird heute um zwölf Uhr neu gestartet, darum sollten alle
Benutzer ihre Daten vorher sichern und sich danach abmelden, sonst gehen
die Änderungen verloren."""


@pytest.mark.torture
@pytest.mark.parametrize("kind", sorted(FAITHFUL))
def test_a_faithful_quote_of_a_real_text_is_kept(kind: str) -> None:
    found = list(cases(kind, FAITHFUL[kind], texts(), QUOTES_OF_A_KIND))
    assert sum(accepted(found)) >= 0.8 * len(found)


@few
@given(st.sampled_from(sorted(ALTERED)), st.integers(0, 2**32))
def test_an_altered_quote_of_a_real_text_is_never_accepted(kind: str, seed: int) -> None:
    found = next(cases(f"{kind} {seed}", ALTERED[kind], texts(), 1), None)
    assume(found is not None)
    assert found is not None
    assert accepted([found]) == [False]


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("FAILED tests/x.py::test_a", "\x1b[31mFAILED\x1b[0m tests/x.py::test_a"),
        ("the server is down", "the ser\u00adver is\u200b down"),
        ("def read(path):\n    return open(path)", "  12\tdef read(path):\n  13\t    return open(path)"),
        ("the disk is full\nand nobody cares", "# the disk is full\n# and nobody cares"),
        ("use the new server here", "use the **new** [server](https://x.org/a) `here`"),
        ("the server has stopped", "<html><body><p>the <b>server</b> has stopped</p></body></html>"),
        ('"status":"failed at noon"', '{"status": "failed at noon"}'),
        ("The server didn't answer.", "the server didn't answer"),
        ('"the server didn\'t answer"', "the server didn't answer"),
        ("…the server didn't answer...", "and the server didn't answer in time"),
        ("the server – since noon - is down", "the server — since noon — is down"),
        ("the connection was closed", "the connec-\ntion was closed"),
        ("the server … gave no answer", "the server of the east wing gave no answer"),
        ("a read\u2011only file system", "a read-only file system"),
        ("a temperature of -5 degrees", "a temperature of \u22125 degrees"),
        ("the **disk** is `full` now", "the disk is full now"),
        ("„Die Platte ist voll“", "Meldung: Die Platte ist voll"),
        ("« le disque est plein »", "note : le disque est plein"),
        ("l'erreur n'a pas été corrigée", "l’erreur n’a pas été corrigée"),
        ("「ディスクが一杯です」", "エラー: ディスクが一杯です。"),
        ("连接数据库失败", "连接数据库失败（超时）"),
        ("서버가 응답하지 않습니다", "오류: 서버가 응답하지 않습니다."),
        ("القرص ممتلئ تماما", "خطأ: القرص ممتلئ تماما."),
        ("ดิสก์เต็มแล้ว", "ข้อผิดพลาด: ดิสก์เต็มแล้ว"),
        ("सर्वर बंद है", "त्रुटि: सर्वर बंद है।"),
        ("| db-7 | full |", "| host | disk |\n|---|---|\n| db-7 | full |\n| db-8 | free |"),
        ("作業中の方は必ずデータを保存してから一旦ログアウトしてくださいますようお願いいたします", JAPANESE),
        ("请所有正在使用系统的用户务必提前保存数据并退出登录", CHINESE),
        ("모든 사용자는 반드시 데이터를 저장한 뒤", KOREAN),
        ("يجب على جميع المستخدمين حفظ بياناتهم", ARABIC),
        ("darum sollten alle Benutzer ihre Daten vorher sichern", GERMAN),
    ],
)
def test_what_cannot_change_the_meaning_is_read_over(quote: str, text: str) -> None:
    assert quoted(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("6' pipe of copper", '6" pipe of copper'),
        ("6′ pipe of copper", "6″ pipe of copper"),
        ("x-1 is the inverse", "x⁻¹ is the inverse"),
        ("x2 is the square", "x² is the square"),
        ("echo '$HOME' today", 'echo "$HOME" today'),
        ("サーバーは応答しました", "サーバーは応答しませんでした。"),
        ("サーバーは応答しま", "12:03 サーバーは応答しませんでした。"),
        ("有响应请求，请重试", "错误：服务器没有响应请求，请重试。"),
        ("테스트가 통과했습니다", "테스트가 통과했습니다만 경고가 있습니다"),
        ("الخادم يعمل الآن", "الخادم يعملُ الآن"),
        ("सर्वर बंद", "सर्वर बंदी है आज"),
        ("र्वर बंद है", "सर्वर बंद है"),
        ("வட்டு நிரம்பி", "வட்டு நிரம்பியது"),
        ("die Strasse ist gesperrt", "die Straße ist gesperrt"),
        ("naïve café owners left", "naive cafe owners left"),
        ("a temperature of 5 degrees", "a temperature of \u22125 degrees"),
        ("foo(a, b, c)", "foo(a,b,c)"),
        ("see [the manual](https://x.org/b) today", "see [the manual](https://x.org/a) today"),
        ("return x = y now", "    return x == y now"),
        ("user.is_admin: raise Denied", "    if not user.is_admin:\n        raise Denied"),
        ("the disk [of db-7] is full", "the disk is full"),
        ("2 * 3 * 4 disks here", "2 3 4 disks here"),
        ("12:03 the disk is full", "12:04 the disk is full"),
        ("all tests were run.", "who knows whether all tests were run?"),
        ("the tests … have passed", "the tests that had not passed before have passed"),
        ("the server is up … the disk is full", "the server is up.\nIn July the disk is full"),
        ("tests passed … with errors", "- tests passed\n- run with errors"),
        ('["north wind", "calm"] ["storm", "rain"]', '["north wind", "calm"]\n\n["storm", "rain"]'),
    ],
)
def test_what_may_change_the_meaning_is_not(quote: str, text: str) -> None:
    assert not quoted(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("PASSED test_b", "test_a PASSED\ntest_b FAILED"),
        ("two years from purchase returns are free", "the warranty is two years from purchase\n\nreturns are free"),
        ("is broken The fix", "what is broken\n\n# The fix"),
        ("ディスクが一杯です再起動します", "ディスクが一杯です\n再起動します"),
    ],
)
def test_f7_a_quote_does_not_run_over_the_border_of_a_row_or_a_document(quote: str, text: str) -> None:
    assert not quoted(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("erfolgreich abgeschlossen", "Der Lauf wurde nicht erfolgreich abgeschlossen"),
        ("завершено успешно", "Не завершено успешно"),
        ("terminé avec succès", "Le programme n'est pas terminé avec succès"),
        ("open the connection", "the client failed to open the connection"),
        ("été validé par l'équipe", "le test n'a jamais été validé par l'équipe"),
        ("se ha completado correctamente", "La tarea no se ha completado correctamente"),
        ("zakończyło się sukcesem", "zadanie nie zakończyło się sukcesem"),
        ("يعمل بشكل صحيح", "الخادم لا يعمل بشكل صحيح"),
        ("ทำงานได้ตามปกติ", "ระบบไม่ทำงานได้ตามปกติ"),
        ("所有测试都通过了", "并非所有测试都通过了。"),
    ],
)
def test_f8_a_quote_does_not_begin_behind_what_negates_it_in_any_language(quote: str, text: str) -> None:
    assert not quoted(quote, text)


def test_a_quote_with_an_ellipsis_names_both_its_spans() -> None:
    text = "12:00 the server of the east wing gave no answer"
    run = ToolRun("call", "read", {}, (text,))
    found = places(check_evidence({"q": "the server … gave no answer"}, [run], marks={"q": Quote()}).fields)["q"]
    assert (text[found[1] : found[2]], text[found[3] : found[4]]) == ("the server", "gave no answer")


@pytest.mark.parametrize(
    "text",
    ["first line here\nsecond line there", "- first line here\n- second line there", "1\tfirst line here\n2\tsecond line there"],
)
def test_f7_rows_are_quoted_together_with_their_line_break_alone(text: str) -> None:
    rows = [line.partition("\t")[2] or line for line in text.split("\n")]
    assert quoted("\n".join(rows), text)
    assert not quoted(" ".join(rows), text)


WRITTEN = "all tests have passed today"


@pytest.mark.parametrize(
    "args",
    [
        {"text": f"note: {WRITTEN}."},
        {"code": "print('all tests ' + 'have passed today')"},
        {"data": "YWxsIHRlc3RzIGhhdmUgcGFzc2VkIHRvZGF5"},
        {"notes": [{"body": WRITTEN}]},
        {"letters": list(WRITTEN)},
        {"parts": ["all te", "sts have pas", "sed today"]},
    ],
)
def test_f2_text_written_by_the_model_is_not_evidence_when_another_tool_reads_it(args: dict[str, Any]) -> None:
    runs = [ToolRun("1", "write", args, ("ok",), counts=False), ToolRun("2", "read_back", {}, (WRITTEN,))]
    assert "your own words" in check_evidence({"q": WRITTEN}, runs, marks={"q": Quote()}).feedback
    assert not check_evidence({"q": WRITTEN}, runs[::-1], marks={"q": Quote()}).feedback


def test_f2_the_models_prose_is_not_evidence_when_a_tool_repeats_it() -> None:
    run = ToolRun("1", "transcript", {}, (f"assistant: {WRITTEN}",), written=(f"I think that is so. {WRITTEN}.",))
    assert check_evidence({"q": WRITTEN}, [run], marks={"q": Quote()}).feedback


@pytest.mark.parametrize(
    ("quote", "text", "args"),
    [
        ("a" * 50_000, "a" * 100_000, {}),
        ("aaaa", "aaaa " * 10_000, {"pattern": "aaaa"}),
        ("x " * 500 + "y", "x " * 50_000, {}),
        ("<b>bold text here</b>", "<!-- " * 25_000 + "</x>", {}),
        ("an *odd* text", "*_`[" * 25_000, {}),
        ("spaces and more", " " * 150_000 + "\n" * 50_000, {}),
    ],
)
def test_f6_no_text_makes_a_quote_slow(quote: str, text: str, args: dict[str, Any]) -> None:
    started = time.process_time()
    quoted(quote, text, **args)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("piece", ["1", "1.", "1 1/2 "])
def test_f6_no_text_makes_a_value_slow(piece: str) -> None:
    def read(text: str) -> None:
        check_evidence({"n": 5}, [ToolRun("call", "read", {}, (text,))], marks={"n": Grounded()})

    assert growth(read, lambda size: piece * (size // len(piece)), 60_000).exponent <= MAX_EXPONENT


@pytest.mark.parametrize(
    "hostile",
    [lambda size: "0 1 " * (size // 4), lambda size: "1 1 1 1\n" * (size // 8), lambda size: json.dumps([1, 0] * (size // 6))],
    ids=["words", "lines", "JSON"],
)
def test_f6_no_text_makes_a_number_slow(hostile: Callable[[int], str]) -> None:
    assert growth(lambda text: counted(1, text, {"page": 1}), hostile, 120_000).exponent <= MAX_EXPONENT
