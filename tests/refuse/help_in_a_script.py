# fails: SyntaxError
# error: '?' has no meaning here
print?
