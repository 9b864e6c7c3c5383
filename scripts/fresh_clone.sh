#!/usr/bin/env bash
# For maintainers: do the README's two commands work in a fresh clone, with no virtualenv at hand?
# Tests what is committed, not what lies in the working tree.
set -euo pipefail
repo=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT

if [ -n "$(git -C "$repo" status --porcelain)" ]; then
    echo "Note: uncommitted changes are not part of this test."
fi

git clone --quiet --no-hardlinks "$repo" "$clone/bayplan"
cd "$clone/bayplan"
unset VIRTUAL_ENV PYTHONPATH PYTHONHOME

for command in "make demo" "make test"; do
    printf '\n=== %s ===\n' "$command"
    begin=$SECONDS
    $command </dev/null
    printf '=== %s: %d s, set-up included ===\n' "$command" $((SECONDS - begin))
done

# Nothing the commands make may show up as a change.
if [ -n "$(git status --porcelain)" ]; then
    echo "The commands left files which .gitignore does not know:"
    git status --short
    exit 1
fi
