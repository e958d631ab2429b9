"""What an expression may be made of so that its value follows from what it reads.

Everything is on a list: a function or a sign that is not named here may read data that
no column of the statement names (``read_csv``, a sequence, a model), and a statement
with it is not bounded.  What is random, or says who asks or when, reads no data.
"""

from __future__ import annotations

_CLAUSES = """
    Select Subquery CTE With Union Except Intersect From Join Where Group Having Order
    Ordered Limit Offset Fetch LimitOptions Distinct Qualify Window WindowSpec Alias
    TableAlias Table Cube Rollup GroupingSets Values Lateral TableSample Lock Hint
    WithTableHint IndexTableHint
"""
"""What statements are made of."""
_OPERATORS = """
    And Or Xor Not Paren Tuple Between In Is Like ILike LikeAny ILikeAny LikeAll
    ILikeAll SimilarTo RegexpLike RegexpILike Escape EQ NEQ LT LTE GT GTE NullSafeEQ
    NullSafeNEQ Any All Exists Neg Add Sub Mul Div IntDiv Mod Pow DPipe BitwiseAnd
    BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift BitwiseRightShift Case If Coalesce
    Nullif Greatest Least Nvl2 DecodeCase EqualNull Cast TryCast AtTimeZone Collate
    Interval IntervalSpan Bracket Dot Slice Filter WithinGroup IgnoreNulls RespectNulls
    Cast Try HavingMax Kwarg PropertyEQ Lambda
"""
_NAMES = """
    Identifier Column Star Literal Null Boolean Var DataType DataTypeParam HexString
    BitString ByteString National RawString UnicodeString Var
"""
_TEXTS = """
    Ascii BitLength ByteLength Chr Concat ConcatWs Contains Elt EndsWith Format Initcap
    IsAscii Left Length Levenshtein Lower Normalize NumberToStr Overlay Pad Repeat
    Replace Reverse Right RtrimmedLength Soundex Space Split SplitPart Strtok
    StartsWith StrPosition Stuff Substring SubstringIndex Translate Trim Unicode Upper
    ToChar ToNumber ToDouble Hex LowerHex Unhex RegexpCount RegexpExtract
    RegexpExtractAll RegexpFullMatch RegexpInstr RegexpReplace RegexpSplit RegexpSubstr
    MD5 MD5Digest SHA SHA2 SHA2Digest SHA1Digest CityHash64 FarmFingerprint ToBase64
    FromBase64 JarowinklerSimilarity
"""
_NUMBERS = """
    Abs Acos Asin Atan Atan2 Cbrt Ceil Cos Cot Degrees Exp Factorial Floor IsInf IsNan
    Ln Log Pi Radians Round Sign Sin Sqrt Tan Trunc SafeAdd SafeDivide SafeMultiply
    SafeNegate SafeSubtract WidthBucket BitwiseCount Booland Boolor Boolnot Rand Randn
    Uuid Typeof
"""
_TIMES = """
    CurrentDate CurrentDatetime CurrentTime CurrentTimestamp CurrentTimestampLTZ
    Localtime Localtimestamp Systimestamp UtcDate UtcTime UtcTimestamp AddMonths DateAdd
    DateBin DateDiff DateSub DatetimeAdd DatetimeDiff DatetimeSub MonthsBetween TimeAdd
    TimeDiff TimeSub TimestampAdd TimestampDiff TimestampSub TsOrDsAdd TsOrDsDiff
    DatetimeTrunc DateTrunc TimestampTrunc TimeTrunc Day DayOfMonth DayOfWeek
    DayOfWeekIso DayOfYear Dayname Extract Hour Minute Month Monthname Quarter Second
    ToDays Week WeekOfYear Year YearOfWeek YearOfWeekIso WeekStart Date DateFromParts
    Datetime LastDay MakeInterval NextDay Time TimeFromParts Timestamp
    TimestampFromParts ConvertTimezone DateStrToDate StrToDate StrToTime StrToUnix
    TimeStrToDate TimeStrToTime TimeToStr TimeToUnix TsOrDsToDate TsOrDsToTime
    TsOrDsToTimestamp UnixDate UnixSeconds UnixToTime UnixToStr GenerateSeries
    GenerateDateArray Unnest
"""
_AGGREGATES = """
    AnyValue ApproxDistinct ApproxQuantile ApproxQuantiles ApproxTopK Hll ArgMax ArgMin
    ArrayAgg Avg BitwiseAndAgg BitwiseOrAgg BitwiseXorAgg Corr Count CountIf CovarPop
    CovarSamp CumeDist DenseRank First FirstValue GroupConcat Grouping GroupingId
    Kurtosis Lag Last LastValue Lead LogicalAnd LogicalOr Max Median Min Mode Ntile
    NthValue PercentileCont PercentileDisc PercentRank Quantile Rank RegrAvgx RegrAvgy
    RegrCount RegrIntercept RegrR2 RegrSlope RegrSxx RegrSxy RegrSyy RowNumber Skewness
    Stddev StddevPop StddevSamp Sum Variance VariancePop
"""
_LISTS = """
    Array ArrayConcat ArrayContains ArrayDistinct ArrayFirst ArrayLast ArrayMax ArrayMin
    ArraySize ArraySort ArraySum ArrayToString List Struct StructExtract Map
    StringToArray JSONArray JSONObject JSONExtract JSONExtractScalar JSONPath
    JSONPathRoot JSONPathKey JSONPathSubscript JSONFormat ParseJSON JSONArrayAgg
    JSONObjectAgg
"""
_SESSION = """
    CurrentCatalog CurrentDatabase CurrentRole CurrentSchema CurrentSchemas CurrentUser
    CurrentVersion CurrentWarehouse CurrentTimezone CurrentAccount CurrentRegion
    CurrentSession SessionUser
"""
_LISTED = (
    _CLAUSES,
    _OPERATORS,
    _NAMES,
    _TEXTS,
    _NUMBERS,
    _TIMES,
    _AGGREGATES,
    _LISTS,
    _SESSION,
)
_FUNCTIONS = """
    age charindex col_description connection_id database datalength date date_format
    date_part datefromparts datename datetime db_name div0 div0null eomonth epoch even
    format_date format_timestamp format_type formatdatetime has_column_privilege
    has_schema_privilege has_table_privilege hour_of_day ifnull iif inet_server_addr
    inet_server_port instr is_true isfinite isnull julianday len list_avg list_sort
    list_sum list_value make_date nullifzero nvl obj_description octet_length
    original_login parse_date patindex pg_backend_pid pg_encoding_to_char pg_get_expr
    pg_get_userbyid pg_is_in_recovery pg_sleep pg_table_is_visible printf quote_ident
    quote_literal ratio_to_report row_to_json schema schema_name serverproperty strftime
    string_split substr suser_name suser_sname system_user time to_date to_json to_jsonb
    unixepoch user version zeroifnull
"""
_SYMMETRIC = """
    ApproxDistinct Avg BitwiseAndAgg BitwiseOrAgg BitwiseXorAgg Count CountIf Grouping
    Hll LogicalAnd LogicalOr Max Median Min PercentileCont PercentileDisc Quantile Sum
"""
_PICKS = """
    AnyValue ApproxQuantile ApproxQuantiles ApproxTopK ArgMax ArgMin ArrayAgg Fetch
    First FirstValue GroupConcat JSONArrayAgg JSONObjectAgg Last LastValue Limit List
    Mode Offset Qualify Rand Randn TableSample Uuid Window
"""
_EXACT = """
    Add And Avg Between Boolean Case Coalesce Column Distinct Identifier If In Is
    Literal Mul Not Null Or Paren Sub Sum
"""
CLAUSES = frozenset(_CLAUSES.split())
KNOWN = frozenset([*" ".join(_LISTED).split(), "Columns"])
"""The nodes of sqlglot's trees that read nothing but what is named below them."""
_EACH_TIME = """
    CurrentDate CurrentDatetime CurrentTime CurrentTimestamp CurrentTimestampLTZ
    Localtime Localtimestamp Systimestamp UtcDate UtcTime UtcTimestamp Rand Randn Uuid
"""
_KEYS = (_OPERATORS, _NAMES, _TEXTS, _NUMBERS, _TIMES, "Group Cube Rollup GroupingSets")
KEYS = frozenset(" ".join(_KEYS).split()) - {*_EACH_TIME.split(), "Star"}
"""What groups may be made of so that rows that are alike are in one group."""
FUNCTIONS = frozenset(_FUNCTIONS.split())
"""Functions of a row, or of groups, that sqlglot has no name for, by theirs."""
COUNTING = ("histogram", "quantile_disc", "quantile_cont", "bool_and", "bool_or", "mad")
"""Aggregates by their names, whose value follows from how often each value occurs,"""
ADDING = (
    *("entropy", "favg", "fsum", "product", "total"),
    *("percentile_approx", "approx_percentile"),
)
"""and those that depend on the order in which rows come."""
SYMMETRIC = frozenset(_SYMMETRIC.split())
"""Aggregates whose value follows from how often each value occurs.

The last digits of STDDEV and the like depend on the order in which rows are added up,
and those that show values one after another, or pick one, on where the rows are.
"""
PICKS = frozenset(_PICKS.split())
"""What may look at the order in which rows come."""
TOTAL = frozenset(["And", "Or", "Not", "Paren", "Is", "Null", "Identifier", "Star"])
TOTAL |= {"Alias", "Ordered", "Distinct"}
"""What can fail for no value of its operands."""
EXACT = frozenset(_EXACT.split())
"""What sums of integers are made of: they are added up without rounding."""
