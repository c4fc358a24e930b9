# fails: ValueError
# error: binary files are not supported by Locus
open('data.bin', 'rb')
