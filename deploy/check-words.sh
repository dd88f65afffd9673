#!/usr/bin/env bash
# Comments use the words of the field: "returns", "reports", "shows" instead of "tells"; "malformed" instead of "is none" and
# "what is no"; "the person who" or "no matter what" instead of "whoever" and "whatever"; "at most" or "maximum" instead of "at the
# most"; "older" or "previous" instead of "of before". Prints the comments that do not, and fails if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."

found=$(git ls-files '*.rs' '*.sql' '*.proto' '*.sh' '*.mjs' '*.py' '*.ts' '*.tsx' |
  grep -vE '/api-schema\.d\.ts$|/check-words\.sh$' |
  xargs perl -ne '
    BEGIN { $word = qr/\b(told|tells|anew|so many|(?<!there )is none|none of ours|whoever|whatever|of late|in vain|of then|of before|at the (?:most|least)|not to be had|what is no|hears? of it)\b/i }
    print "$ARGV:$.: $_" if m{^\s*(?://|--|\#[ !]|\* |/\*).*$word} || m{[^:"\x27`](?://|-- |\# ).*$word};
    close ARGV if eof')
[ -z "$found" ] || { printf '%s\n' "$found" >&2; exit 1; }
