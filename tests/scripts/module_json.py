"""json: what it writes, what it reads, and where it says an error is."""
import json

print(json.dumps({'a': [1, 2.5, None, True, 'é\n"'], 'b': {}}))
# expect: {"a": [1, 2.5, null, true, "\u00e9\n\""], "b": {}}
print(json.dumps([1, {'x': [2]}], indent=2))
# expect: [
# expect:   1,
# expect:   {
# expect:     "x": [
# expect:       2
# expect:     ]
# expect:   }
# expect: ]
print(json.dumps({'b': 1, 'a': 2}, sort_keys=True), json.dumps('é', ensure_ascii=False), json.dumps({1: 2, None: 3}))
# expect: {"a": 2, "b": 1} "é" {"1": 2, "null": 3}
print(json.dumps((1, 2), separators=(',', ':')), json.dumps(1e100), json.dumps(10 ** 20), json.dumps(float('inf')))
# expect: [1,2] 1e+100 100000000000000000000 Infinity
print(json.loads('{"a": [1, 2.0, null, true, "x\\u00e9\\n\\ud83d\\ude00"], "b": -1e3}'))
# expect: {'a': [1, 2.0, None, True, 'xé\n😀'], 'b': -1000.0}
for bad in ('', '[1,]', 'nul', '"abc', '{"a" 1}', '1 2', '{bad}'):
    try:
        json.loads(bad)
    except json.JSONDecodeError as error:
        print(error)
# expect: Expecting value: line 1 column 1 (char 0)
# expect: Expecting value: line 1 column 4 (char 3)
# expect: Expecting value: line 1 column 1 (char 0)
# expect: Unterminated string starting at: line 1 column 1 (char 0)
# expect: Expecting ':' delimiter: line 1 column 6 (char 5)
# expect: Extra data: line 1 column 3 (char 2)
# expect: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
try:
    json.dumps({1, 2})
except TypeError as error:
    print(error)                        # expect: Object of type set is not JSON serializable
print(json.dumps({'x': {1}}, default=list), json.loads('[1.5, 2]'), json.loads(json.dumps({'k': [{}, []]})))
# expect: {"x": [1]} [1.5, 2] {'k': [{}, []]}
