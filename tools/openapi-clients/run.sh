#!/bin/sh
# Runs tools of other projects with our OpenAPI document, against a running service. Needs VIDIMUS_BASE_URL, VIDIMUS_API_KEY (test, every
# scope) and, for the test wallet, VIDIMUS_DATA_DIR of the service. Skips tools that are not installed, with a message; downloads nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl -sSf -o "$work/openapi.json" "$VIDIMUS_BASE_URL/openapi.json"
has() { command -v "$1" >/dev/null || { echo "$1 is not installed: left out"; return 1; }; }

if has schemathesis; then
  # schemathesis writes files to the folder in which it is started.
  (cd "$work" && schemathesis --config-file "$here/schemathesis.toml" run "$VIDIMUS_BASE_URL/openapi.json" -u "$VIDIMUS_BASE_URL" \
    -H "Authorization: Bearer $VIDIMUS_API_KEY" --max-examples "${EXAMPLES:-10}" --suppress-health-check all)
fi
if has openapi-python-client; then
  openapi-python-client generate --path "$work/openapi.json" --output-path "$work/made_client" --meta none >"$work/log" 2>&1
  PYTHONPATH="$work:$here" python3 "$here/flow_openapi_python_client.py"
fi
if has openapi-generator-cli && has java; then
  openapi-generator-cli generate -i "$work/openapi.json" -g python -o "$work/made" --package-name vidimus_made >"$work/log" 2>&1
  PYTHONPATH="$work/made:$here" python3 "$here/flow_openapi_generator.py"
fi
if has openapi-typescript; then
  # Its client, openapi-fetch, is installed in the same folder.
  modules=$(cd "$(dirname "$(readlink -f "$(command -v openapi-typescript)")")/../.." && pwd)
  mkdir "$work/typescript" && ln -s "$modules" "$work/typescript/node_modules"
  openapi-typescript "$work/openapi.json" -o "$work/typescript/made.d.ts" >"$work/log" 2>&1
  cp "$here/flow_openapi_typescript.mts" "$work/typescript/flow.mts"
  tsc="$here/../../node_modules/.bin/tsc --strict --noEmit --module nodenext --target es2024 --allowImportingTsExtensions"
  (cd "$work/typescript" && $tsc --typeRoots "$here/../../node_modules/@types" --types node flow.mts)
  VIDIMUS_ROOT=$(cd "$here/../.." && pwd) "$here/../../node_modules/.bin/node" "$work/typescript/flow.mts"
fi
