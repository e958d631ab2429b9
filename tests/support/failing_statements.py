"""Random statements of which parts may fail for some rows, beside conditions on
sensitive columns, in any order and at any place.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

NUMBERS = (
    *("h", "n", "h + 1", "h + 2147483647", "h * 2", "h * 1000000000", "-h", "abs(h)"),
    *("10 / h", "10 / n", "10 % h", "h / n", "h % n", "n * n", "n + n", "-n", "h - 5"),
    *("n - 1", "h - n", "CAST(g AS INTEGER)", "CAST(h AS SMALLINT)", "length(g)"),
    *("coalesce(h, 0)", "nullif(h, 0)", "10 / nullif(h, 0)", "coalesce(h, 10 / n)"),
    *("CASE WHEN h <> 0 THEN 10 / h END", "CASE WHEN h > 0 THEN h ELSE 10 / h END"),
    *("10 / (h - h)", "1 / 0", "h + n", "2 * h + 1", "(h + 1) / 2", "0 * h", "+h"),
    *("h * 1.5", "CAST(h AS BIGINT) * 2", "-(-h)", "h - 2147483648", "(h)", "h / 2"),
    *("round(10.0 / h)", "10.0 / n", "sqrt(h)", "ln(n)", "power(h, 2)", "least(h, n)"),
    *("greatest(h, 10 / h)", "sign(h)", "h / -1", "h % -1", "n / -1", "z", "10 / z"),
)
"""Public numbers; for some rows many are none."""
WAGES = (
    *("wage", "wage + 1", "wage * 2", "10 / wage", "wage + 2147483646", "wage - 1"),
    *("wage * 1073741824", "h / wage", "wage / h", "wage + h", "wage * h", "wage % h"),
    *("coalesce(wage, 0)", "nullif(wage, 0)", "-wage", "10 / (wage - 1)", "wage - h"),
    *("CAST(ill AS INTEGER)", "CASE WHEN wage > 0 THEN 10 / wage END", "wage + n"),
    *("CASE WHEN wage > 0 THEN 10 / h END", "CASE WHEN ill = 'flu' THEN h END", "wage"),
    *("wage * n", "abs(wage - 1)", "length(ill)", "CASE wage WHEN 0 THEN h ELSE 1 END"),
    *("coalesce(nullif(wage, 0), 10 / h)", "greatest(wage, h)", "wage * 1.5", "wage"),
    *("wage / 2", "2147483646 + wage", "n * wage", "CAST(wage AS SMALLINT)", "wage"),
)
"""Numbers made of sensitive cells."""
TEXTS = ("g", "g", "lower(g)", "upper(g)", "g || 'a'", "substr(g, 1, h)", "left(g, h)")
TEXTS += ("coalesce(g, 'a')", "nullif(g, 'a')", "trim(g)", "repeat(g, n)")
ILL = ("ill", "ill", "lower(ill)", "ill || g", "substr(ill, 1, wage - 1)")
ILL += ("coalesce(ill, 'a')", "CASE WHEN wage > 0 THEN ill ELSE g END")
DAYS = ("d", "CAST(g AS DATE)", "d + h", "d + wage", "DATE '2020-01-31'", "d - n")
OWN = {
    "postgres": (
        *("g ~ '('", "ill ~ g", "g ~ g", "make_date(h, 1, 1) > d", "g::int = 5"),
        *("chr(h) = 'a'", "split_part(g, 'a', h) = ''", "g LIKE g", "ill LIKE g"),
        *("d + h * INTERVAL '1 day' > d", "h::boolean", "h << n > 0", "gcd(h, n) > 1"),
        *("extract(year FROM d) > h", "g = ANY (ARRAY['a', ill])", "g::date > d"),
        *("h = ANY (SELECT z FROM e)", "width_bucket(h, 0, n, 5) = 1", "chr(wage) = g"),
        *("date_trunc(g, d) > d", "to_date(g, 'YYYY') > d", "lpad(g, h) = g"),
        *("g::numeric > 1", "wage::boolean", "ill::int > 1", "(h / n)::text = g"),
        *("date_part('year', d) > h", "d::text LIKE g", "h BETWEEN SYMMETRIC n AND 1"),
        *("g SIMILAR TO g", "h IS DISTINCT FROM wage", "h IS NOT DISTINCT FROM 10 / n"),
        *(
            "g ILIKE ill",
            "starts_with(g, 'a')",
            "num_nulls(h, wage) = 0",
            "-g::int > 1",
        ),
    ),
    "": (
        *(
            "h // n > 0",
            "10 // wage > 1",
            "regexp_matches(g, g)",
            "g::INT = 5",
            "g = 5",
        ),
        *(
            "chr(h) = 'a'",
            "g LIKE g",
            "ill LIKE g",
            "h::BOOLEAN",
            "make_date(h, 1, 1) > d",
        ),
        *("ill = 5", "wage = g", "h << n > 0", "g::DATE > d", "TRY_CAST(g AS INT) > 0"),
        *("error('x') = 'a'", "factorial(n) > 1", "ill::INT > 1", "d > g", "g > h"),
    ),
    "sqlite": (
        *("g = 5", "ill = 5", "abs(h) > 1", "g > h", "ill > wage", "ill + 1 > 5"),
        *("abs(-9223372036854775807 - 1 + wage) > 0", "g LIKE ill", "g GLOB g"),
        *("h * 9223372036854775807 > 1", "d > g", "ill + g > 5", "wage = '1'"),
        *("json_extract(g, '$') = 1", "g IN (5, 'a')", "wage", "ill", "NOT ill"),
    ),
}
"""Conditions of one engine's own."""
SIGNS = (">", "=", "<=", "<>", "<")


@dataclass
class Writer:
    """One statement, drawn part by part."""

    random: random.Random
    dialect: str
    joined: bool = False

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def from_(self, choices: tuple[str, ...]) -> str:
        """One of these; a column of another table only where that is joined."""
        # Half of all are plain, so that some statements have only one part that fails.
        plain = {NUMBERS: ("h", "n"), WAGES: ("wage",)}.get(choices, choices)
        found = self.one(*(plain if self.random.random() < 0.4 else choices))
        if not self.joined and found in ("z", "10 / z"):
            return "h"
        return found

    def number(self) -> str:
        return self.from_(NUMBERS if self.random.random() < 0.5 else WAGES)

    def public(self) -> str:
        """A condition on public columns."""
        constant = str(self.random.choice([0, 1, 1, 5, -3]))
        number = self.from_(NUMBERS)
        listed = [
            f"{number} {self.one(*SIGNS)} {constant}",
            f"{number} {self.one(*SIGNS)} {self.from_(NUMBERS)}",
            f"{self.from_(TEXTS)} {self.one('=', '<>', '>', 'LIKE')} {self.one('g', quoted('a'), quoted('5'), quoted('a%'))}",
            f"{self.from_(NUMBERS)} IS {self.one('', 'NOT ')}NULL",
            f"{self.one(*DAYS)} {self.one(*SIGNS)} {self.one('d', *DAYS)}",
            f"{number} BETWEEN {constant} AND {self.from_(NUMBERS)}",
            f"{number} IN ({constant}, {self.from_(NUMBERS)})",
            self.one("h <> 0", "n <> 0", "h > 0", "g <> 'x('", "n > 0", "k = 'k0'"),
            self.one("k <> 'k1'", "g = 'a'", "n <> h", "h IS NOT NULL", "k > 'k0'"),
            self.one(*OWN[self.dialect]),
        ]
        return self.random.choice(listed)

    def secret(self) -> str:
        """A condition that reads a sensitive cell."""
        constant = str(self.random.choice([0, 0, 1, 1, 2, 5]))
        number = self.from_(WAGES)
        listed = [
            f"wage {self.one(*SIGNS)} {constant}",
            f"wage {self.one(*SIGNS)} {constant}",
            f"ill {self.one('=', '<>')} 'flu'",
            f"{number} {self.one(*SIGNS)} {constant}",
            f"{number} {self.one(*SIGNS)} {self.from_(NUMBERS)}",
            f"{self.one(*ILL)} {self.one('=', '<>', 'LIKE')} {self.one('g', quoted('flu'), quoted('f%'))}",
            f"{number} IS {self.one('', 'NOT ')}NULL",
            f"{number} BETWEEN {constant} AND {self.number()}",
            f"{number} IN ({constant}, {self.number()})",
            f"wage IN (SELECT {self.one('z', '10 / z', 'CAST(g2 AS INTEGER)')} FROM e)",
            f"wage > (SELECT {self.one('z', 'max(z)', 'max(10 / z)')} FROM e{self.one('', ' WHERE z > 1', ' WHERE g2 = g')})",
            f"EXISTS (SELECT 1 FROM e WHERE {self.one('z = wage', '10 / z > wage', 'g2 = ill AND 10 / wage > z')})",
        ]
        return self.random.choice(listed)

    def condition(self, depth: int | None = None) -> str:
        """A condition of several."""
        draw = self.random.random()
        if depth is None:
            if draw < 0.4:
                return self.guarded()
            depth = self.random.choice([0, 1, 1, 1, 2])
            draw = self.random.random()
        if depth == 0 or draw < 0.2:
            return self.secret() if self.random.random() < 0.5 else self.public()
        one, other = self.condition(depth - 1), self.condition(depth - 1)
        if draw < 0.62:
            return f"{one} AND {other}"
        if draw < 0.78:
            return f"({one} OR {other})"
        if draw < 0.84:
            return f"NOT ({one})"
        if draw < 0.92:
            return f"CASE WHEN {one} THEN {other} ELSE {self.condition(0)} END"
        return f"({one}) = ({other})" if draw < 0.96 else f"coalesce({one}, {other})"

    def guarded(self) -> str:
        """What may fail, beside a sensitive condition and one that leaves rows out."""
        plain = f"wage {self.one(*SIGNS)} {self.one('0', '1')}"
        guard = self.one(
            "k <> 'k1'", "k = 'k0'", "h <> 0", "n > 0", "g <> 'a'", "g = '5'"
        )
        parts = [self.one(plain, plain, "ill = 'flu'", self.secret())]
        parts.append(self.public() if self.random.random() < 0.8 else self.secret())
        if self.random.random() < 0.7:
            parts.append(guard)
        self.random.shuffle(parts)
        return " AND ".join(parts)

    def where(self, share: float = 0.8) -> str:
        return f" WHERE {self.condition()}" if self.random.random() < share else ""

    def source(self) -> str:
        draw = self.random.random()
        self.joined = False
        if draw < 0.72:
            return "t"
        if draw < 0.8:
            return f"(SELECT k, g, n, d, ill, wage, {self.from_(NUMBERS)} AS h FROM t{self.where(0.5)}) q"
        if draw < 0.86:
            return f"(SELECT * FROM t{self.where(1)}) q"
        self.joined = True
        on = self.one(
            "g = g2",
            "g = g2 AND 10 / z > 1",
            f"g = g2 AND {self.condition(1)}",
            "CAST(g2 AS INTEGER) = h",
            "h = z",
            "10 / z = wage",
        )
        return f"t {self.one('JOIN', 'JOIN', 'LEFT JOIN')} e ON {on}"

    def aggregate(self) -> str:
        number = self.number()
        case = f"CASE WHEN {self.condition(1)} THEN {self.number()} {self.one('', 'ELSE 0 ', f'ELSE {self.number()} ')}END"
        plain = self.one(
            f"SUM({number})",
            f"COUNT({number})",
            f"MIN({number})",
            f"MAX({number})",
            f"AVG({number})",
            f"SUM({case})",
            f"COUNT({case})",
            "COUNT(*)",
            f"COUNT(DISTINCT {number})",
            "SUM(wage)",
            "COUNT(*)",
            "AVG(wage)",
        )
        draw = self.random.random()
        if draw < 0.3:
            plain += f" FILTER (WHERE {self.condition(1)})"
        if draw > 0.85:
            return self.one(
                f"10 / {plain}",
                f"{plain} / COUNT(*)",
                f"coalesce({plain}, 0)",
                f"{plain} + 1",
                f"{plain} * 2",
            )
        return plain

    def grouped(self) -> str:
        source = self.source()
        where = self.where(0.6)
        items = [self.aggregate() for _ in range(self.random.choice([1, 1, 2]))]
        key = self.one(
            "g", "g", "h", "n", "d", "", "", "", f"{self.from_(NUMBERS)}", "h / 2", "k"
        )
        having = ""
        if self.random.random() < 0.25:
            having = f" HAVING {self.aggregate()} {self.one(*SIGNS)} {self.one('0', '1', '2')}"
            if self.random.random() < 0.4:
                having += f" {self.one('AND', 'OR')} {self.aggregate()} > 0"
        if not key:
            return f"SELECT {', '.join(items)} FROM {source}{where}{having}"
        shown = [*([key] if self.random.random() < 0.8 else []), *items]
        return f"SELECT {', '.join(shown)} FROM {source}{where} GROUP BY {key}{having}"

    def rows(self) -> str:
        source = self.source()
        items = self.random.choice(
            [
                ["k"],
                ["k"],
                ["k", self.number()],
                ["k", "wage"],
                ["g"],
                [self.number()],
                ["k", f"CASE WHEN {self.condition(1)} THEN {self.number()} END"],
                ["k", "g", "h"],
            ]
        )
        order = ""
        if self.random.random() < 0.1:
            order = f" ORDER BY {self.one('k', self.number() + ', k', 'wage, k')}"
            if self.random.random() < 0.4:
                order += f" LIMIT {self.one('1', '2', '9')}"
        distinct = "DISTINCT " if self.random.random() < 0.08 and not order else ""
        return (
            f"SELECT {distinct}{', '.join(items)} FROM {source}{self.where(0.9)}{order}"
        )

    def statement(self) -> str:
        draw = self.random.random()
        if draw < 0.45:
            return self.grouped()
        if draw < 0.86:
            return self.rows()
        if draw < 0.92:
            one, other = self.number(), self.number()
            return f"SELECT 1 AS p, {one} FROM t{self.where()} UNION ALL SELECT 2, {other} FROM t{self.where()}"
        if draw < 0.96:
            return f"SELECT k, SUM({self.number()}) OVER (PARTITION BY g) FROM t{self.where(0.5)}"
        return f"WITH c AS (SELECT k, {self.number()} AS v FROM t{self.where(0.7)}) SELECT COUNT(*), SUM(v) FROM c{self.one('', ' WHERE v > 0', ' WHERE 10 / v > 0')}"


def quoted(text: str) -> str:
    return f"'{text}'"


def statement(seed: int, dialect: str) -> str:
    """A statement of a dialect."""
    return Writer(random.Random(seed), dialect).statement()
