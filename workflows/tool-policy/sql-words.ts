/** Functions without effects, and words before a parenthesis. */
export const usualFunctions =
  'abs acos age all any approx_count_distinct array array_agg array_length array_to_string ascii asin atan atan2 avg bit bit_and bit_length bit_or bool_and bool_or btrim cardinality cast cbrt ceil ceiling char char_length character character_length charindex chr coalesce concat concat_ws convert corr cos count countif cube cume_dist curdate current_date current_time current_timestamp date date_add date_bin date_diff date_format date_part date_sub date_trunc dateadd datediff datefromparts datename datepart datetime day dayname dayofmonth dayofweek dayofyear decimal degrees dense_rank div eomonth every exists exp extract field find_in_set first_value float floor from_unixtime getdate greatest group_concat grouping hex hour if ifnull iif in initcap instr int integer interval isnull json_agg json_array json_array_length json_build_object json_contains json_extract json_extract_path_text json_group_array json_group_object json_length json_object json_object_agg json_type json_unquote json_value jsonb_agg jsonb_array_length jsonb_build_object jsonb_extract_path_text jsonb_object_agg julianday justify_interval lag last_day last_value lcase lead least left len length like ln localtimestamp locate log log10 log2 lower lpad ltrim make_date makedate max md5 median mid min minute mod mode month monthname now nth_value ntile nullif numeric nvl octet_length over overlay patindex percent_rank percentile_cont percentile_disc period_diff pi position pow power quarter radians rand random rank real regexp_count regr_count regr_intercept regr_r2 regr_slope regexp_like regexp_match regexp_replace regexp_substr replace reverse right rollup round row row_number row_to_json rpad rtrim second sets sign similarity sin split_part sha1 sha2 sqrt starts_with stddev stddev_pop stddev_samp str_to_date strftime string_agg string_to_array stuff strpos substr substring substring_index sum tan time time_to_sec timediff timestamp timestampdiff timezone to_char to_date to_days to_json to_jsonb to_number to_timestamp top total translate trim trunc truncate try_cast typeof ucase unicode unnest unix_timestamp upper using values var_pop var_samp varchar variance week weekday weekofyear width_bucket within year and or not on as from where select case when then else having by filter partition order group is between distinct with union except intersect join lateral materialized window any_value array_append array_cat array_lower array_position array_prepend array_remove array_upper bin choose clock_timestamp conv count_big crc32 datetrunc decode difference encode format gcd getutcdate instrrev isdate isfinite isnumeric json_array_elements json_array_elements_text json_arrayagg json_each json_each_text json_keys json_object_keys json_objectagg json_overlaps json_tree json_typeof json_valid jsonb_array_elements jsonb_array_elements_text jsonb_build_array jsonb_each jsonb_each_text jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_path_query_array jsonb_strip_nulls jsonb_typeof justify_days justify_hours lcm levenshtein listagg make_interval make_timestamp max_by min_by num_nonnulls num_nulls nvl2 oct openjson pg_size_pretty plainto_tsquery quote quote_ident quote_literal quotename ratio_to_report regexp_instr regexp_matches regexp_split_to_array regexp_split_to_table scale some soundex statement_timestamp strcmp string_split subdate adddate addtime sysdatetime sysutcdatetime timestampadd to_hex to_tsquery to_tsvector transaction_timestamp try_convert ts_headline ts_rank unixepoch utc_timestamp websearch_to_tsquery phraseto_tsquery'.split(
    ' ',
  );

/** Words that write, lock or load rows wherever they are, also as the name of a member. */
export const acting = new Set(
  'into outfile dumpfile infile lock nextval straight_join apply pivot unpivot openrowset opendatasource openquery waitfor returning for'.split(
    ' ',
  ),
);
/** Words that begin a statement. SQL Server needs no semicolon between two, and PostgreSQL allows some in `with`. */
export const beginnings = new Set(
  'insert update delete merge upsert create alter drop truncate rename grant revoke copy call exec execute do set reset unlock vacuum analyze analyse explain attach detach pragma load handler listen notify unlisten prepare deallocate declare fetch move close cluster reindex refresh comment security begin commit rollback savepoint start abort use show describe desc_table shutdown kill backup restore import export dbcc bulk writetext updatetext raiserror reconfigure table procedure discard checkpoint reassign print throw deny while goto'.split(
    ' ',
  ),
);

/** After these an operand follows, so that a word there is a name. */
export const beforeOperand = new Set(
  ', . = < > <= >= <> != + - / % || select distinct where and or not on by having between like as'.split(' '),
);
/** Before these an operand ends. */
export const afterOperand = new Set(
  ', . ) = < > <= >= <> != + - * / % || :: -> ->> from as is in and or not asc desc then else end between like when where group order limit having union'.split(
    ' ',
  ),
);

/** Functions whose result is as long as their second argument says. */
export const sized = new Set(['format', 'lpad', 'rpad']);
