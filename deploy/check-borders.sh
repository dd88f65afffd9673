#!/usr/bin/env bash
# Checks the boundaries of ARCHITECTURE.md that the compiler does not. Prints every violating line.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

status=0
# forbid <what it says> <extended regular expression> <files…>
forbid() {
  local rule=$1 pattern=$2 found
  shift 2
  [ $# -gt 0 ] || return 0
  # Comments and the unit tests at the end of a file are exempt.
  found=$(awk -v pattern="$pattern" '
    FNR == 1 { tests = 0 }
    /^#\[cfg\(test\)\]/ { tests = 1 }
    !tests && $0 !~ /^[[:space:]]*\/\// && $0 ~ pattern { print FILENAME ":" FNR ": " $0 }' "$@")
  if [ -n "$found" ]; then
    printf '%s\n%s\n' "$rule" "$found"
    status=1
  fi
}

# checked <files…>: requires a reason on the line above each SQL statement that is not checked at compile time.
checked() {
  local found
  found=$(awk '
    FNR == 1 { tests = 0; said = 0 }
    /^#\[cfg\(test\)\]/ { tests = 1 }
    !tests && !said && $0 !~ /^[[:space:]]*\/\// && /sqlx::query(_as|_scalar)?(::<.*>)?\(/ { print FILENAME ":" FNR ": " $0 }
    { said = $0 ~ /\/\/ unchecked: ./ || (said && $0 !~ /;$/) }' "$@")
  if [ -n "$found" ]; then
    printf '%s\n%s\n' 'use a checked statement (query!), or give the reason on the line above (// unchecked: …)' "$found"
    status=1
  fi
}

. deploy/services.sh
packages=$(IFS='|'; echo "${services[*]//-/_}")
rust() { find "$@" -name '*.rs' 2>/dev/null; }
of_services() { for service in "${services[@]}"; do rust "services/$service/src"; done; }

mapfile -t domain < <(of_services | grep -E '/src/domain(/|\.rs)')
mapfile -t app < <(of_services | grep -E '/src/app(/|\.rs)')
mapfile -t no_store < <(of_services | grep -vE '/src/(store(/|\.rs)|posting)')
mapfile -t no_doors < <(of_services | grep -vE '/src/(main|lib|error|clients|grpc|events)(/|\.rs)')
mapfile -t no_config < <({ of_services; rust services/chassis/src gateway/src; } | grep -vE '/src/(main|config|testing)(/|\.rs)')
mapfile -t timeless < <(of_services | grep -E '/src/(domain|store)(/|\.rs)')
mapfile -t gateway < <(rust gateway/src)
mapfile -t money < <({ rust services/wallet/src services/trade/src services/payment-method/src; echo services/chassis/src/money.rs; rust services/chassis/src/money; })
mapfile -t statements < <({ of_services; rust services/chassis/src; } | grep -v '/src/testing')
mapfile -t all < <(rust proto/src services gateway deploy | grep -v '/target/')

forbid '1. domain/ knows no database, wire or broker' \
  '(sqlx::(Pg|query|Row|Pool|Connection|postgres)|proto::|tonic|lapin|axum|reqwest|hyper)' "${domain[@]}"
forbid '2. only store/ and posting contain SQL' '(sqlx::query|query(_as|_scalar|_file)?!|sqlx::raw_sql)' "${no_store[@]}"
forbid '2. only grpc, events and clients know generated types of a service' \
  "(^|[^a-z_:])proto::(\\\\{|$packages)" "${no_doors[@]}"
forbid '2. only main and config read the environment' '(std::)?env::(var|vars)(_os)?[^a-z_]' "${no_config[@]}"
forbid '3. a use case makes no network call of its own' '(reqwest|lapin|hyper::|TcpStream)' "${app[@]}"
forbid '5. the gateway has no database' 'sqlx' "${gateway[@]}"
forbid '6. money is integer cents' '(^|[^a-z0-9_])f(32|64)([^a-z0-9_]|$)' "${money[@]}"
forbid '7. time is a parameter' '(now_utc\(|SystemTime::now|Instant::now)' "${timeless[@]}"
forbid 'statements name their columns, or kept ones fail when a later version adds one' \
  '(SELECT|RETURNING) ([a-z]+\\.)?\\*' "${statements[@]}"
checked "${statements[@]}"
forbid 'unfinished work has no place here' '(todo!|unimplemented!)' "${all[@]}"
forbid 'expect with a reason, never allow' '#!?\[allow\(' "${all[@]}"

# 4. No service depends on another's crate.
for manifest in services/*/Cargo.toml gateway/Cargo.toml; do
  if sed -n '/^\[.*dependencies/,$p' "$manifest" | grep -nE "^($(IFS='|'; echo "${processes[*]}"))\b"; then
    echo "4. $manifest depends on a service"
    status=1
  fi
done

exit "$status"
