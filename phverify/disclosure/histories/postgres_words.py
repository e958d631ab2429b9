"""The words of PostgreSQL's logs, in the languages that its packages bring
(``lc_messages``): the catalogues of version 15 of its server.

What is said in other words and may be a statement is known by how SQL begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LOG = ("LOG", "LOGG", "ჟურნალი", "로그", "СООБЩЕНИЕ", "ЗАПИСУВАННЯ", "日志")
_FAILED: tuple[str, ...] = ("ERROR", "FATAL", "PANIC", "FEHLER", "PANIK", "ERREUR")
_FAILED += ("ERRORE", "FATALE", "PANICO", "შეცდომა", "ფატალური", "პანიკა", "오류")
_FAILED += ("치명적오류", "손상", "ОШИБКА", "ВАЖНО", "ПАНИКА", "FEL", "FATALT")
_FAILED += ("ПОМИЛКА", "ФАТАЛЬНО", "ПАНІКА", "错误", "致命错误")
_FAILED += ("比致命错误还过分的错误",)
_OTHER: tuple[str, ...] = ("INFO", "NOTICE", "WARNING", "DEBUG", "HINWEIS", "WARNUNG")
_OTHER += ("ATTENTION", "NOTIFICA", "ATTENZIONE", "ინფორმაცია", "გაფრთხილება")
_OTHER += ("გამართვა", "정보", "알림", "경고", "디버그", "ИНФОРМАЦИЯ", "ЗАМЕЧАНИЕ")
_OTHER += ("ПРЕДУПРЕЖДЕНИЕ", "ОТЛАДКА", "NOTIS", "VARNING", "ІНФОРМАЦІЯ")
_OTHER += ("ПОВІДОМЛЕННЯ", "ПОПЕРЕДЖЕННЯ", "НАЛАГОДЖЕННЯ", "信息", "注意", "警告")
_OTHER += ("调试", *(f"DEBUG{number}" for number in range(1, 6)))

LOG, FAILED, OTHER = "log", "failed", "other"
SEVERITIES = (
    dict.fromkeys(_LOG, LOG)
    | dict.fromkeys(_FAILED, FAILED)
    | dict.fromkeys(_OTHER, OTHER)
)
"""What an entry of each severity is."""

_STATEMENT: tuple[str, ...] = ("statement", "Anweisung", "sentencia", "instruction")
_STATEMENT += ("istruzione", "文", "ოპერატორი", "გამოსახულება", "명령 구문", "оператор")
_STATEMENT += ("sats", "语句")
_EXECUTE: tuple[str, ...] = ("execute", "execute fetch from", "Ausführen")
_EXECUTE += ("Ausführen Fetch von", "ejecutar", "ejecutar fetch desde", "exécute")
_EXECUTE += ("exécute fetch à partir de", "esecuzione di", "esecuzione di fetch da")
_EXECUTE += ("実行", "取り出し実行", "გაშვება", "쿼리실행", "자료뽑기", "выполнение")
_EXECUTE += ("выборка из", "kör", "kör hämtning från", "виконувати")
_EXECUTE += ("виконати витягнення з", "执行", "执行FETCH操作")
_PREPARE: tuple[str, ...] = ("parse", "bind", "Parsen", "Binden", "parse:", "analyse")
_PREPARE += ("lien", "analisi di", "パース", "バインド", "მიბმა", "разбор")
_PREPARE += ("сообщение Bind", "аналізування", "повідомлення bind", "解析", "绑定")
_PREPARED = ("-ის დამუშავება", "구문분석", "접속")
"""Words of steps without an answer; these stand behind the name."""


def _one_of(words: tuple[str, ...]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first))})"


_TIME = r"\D{2,40}\d+\.\d+ ?[^\d\s:,]{1,8}"
_SAID = re.compile(
    rf"(?P<time>{_TIME},? {{1,2}})?"
    rf"(?:(?P<statement>{_one_of(_STATEMENT)})"
    rf"|(?P<execute>{_one_of(_EXECUTE)})(?: ?\S+)?"
    rf"|(?P<prepare>{_one_of(_PREPARE)} ?\S*|\S+ ?{_one_of(_PREPARED)})) ?: "
    r"(?P<text>.*)",
    re.DOTALL,
)
_DURATION = re.compile(_TIME)
_SQL: tuple[str, ...] = ("select", "with", "table", "values", "insert", "update")
_SQL += ("delete", "merge", "create", "alter", "drop", "truncate", "copy", "call", "do")
_SQL += ("execute", "fetch", "move", "declare", "explain", "show", "prepare", "begin")
_SQL += ("start", "set", "refresh", "import")
_MAY_BE_SQL = re.compile(
    rf"[:：]\s*(?:[(;]|--|/\*|{_one_of(_SQL)}\b)", re.IGNORECASE | re.ASCII
)
UNKNOWN = (
    "what it logs may be a statement, in words that are not known: a log in English is"
    " read (lc_messages = 'C')"
)


@dataclass(frozen=True)
class LogMessage:
    """What an entry says: a statement by itself (``simple``), one that was prepared and
    is ``executed``, or that one has ended (no ``text``).

    ``timed``: logged after it had run.  ``unread`` is why it is not read.
    """

    text: str | None
    timed: bool
    simple: bool = False
    unread: str = ""


def said(message: str) -> LogMessage | None:
    """What the message of an entry of the log says of a statement.

    None where it is about none, or about a step that has no answer.
    """
    if _DURATION.fullmatch(message):
        return LogMessage(None, True)
    found = _SAID.fullmatch(message)
    if found is None or (found["prepare"] and not found["time"]):
        if _MAY_BE_SQL.search(message):
            return LogMessage(message, False, unread=UNKNOWN)
        return None
    if found["prepare"]:
        return None
    timed = found["time"] is not None
    return LogMessage(found["text"], timed, found["statement"] is not None)
