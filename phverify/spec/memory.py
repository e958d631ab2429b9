"""What an object has worked out is remembered."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

Own = TypeVar("Own")
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
Method = Callable[Concatenate[Own, Asked], Answer]


def remembered(method: Method[Own, Asked, Answer]) -> Method[Own, Asked, Answer]:
    """A method that is worked out once for the same arguments, in each object."""
    name = f"{method.__name__} remembered"

    @wraps(method)
    def answer(self: Own, /, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        answers: dict[object, Answer] = vars(self).setdefault(name, {})
        key = (*asked, *named.items())
        if key not in answers:
            answers[key] = method(self, *asked, **named)
        return answers[key]

    return answer
