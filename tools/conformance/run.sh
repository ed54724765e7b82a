#!/bin/sh
# Runs the conformance specs of sig-api-machinery and sig-auth against the embedded server:
#   tools/conformance/run.sh FOLDER
# with what build.sh made there. The results are in FOLDER/run/specs.json and FOLDER/run/specs.log.
# FOCUS is a regular expression of the specs to run instead; SKIP is one of those to leave out.
set -eu

if [ $# -ne 1 ]; then
  sed -n '2,5p' "$0" | sed 's/^# //' >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
run=$folder/run
rm -rf "$run" && mkdir "$run"
focus=${FOCUS:-'\[sig-(api-machinery|auth)\].*\[Conformance\]'}
# They wait for pods that run, or for the use of quotas.
pods='Aggregator|AdmissionWebhook|ConversionWebhook|FieldSelectors|should mount|OIDC discovery|all pods are removed|delete pod first'
skip=${SKIP:-"$pods|capture the life|terminating scopes|best effort scope"}

"$here/../../node_modules/.bin/node" "$here/serve.ts" "$run" >"$run/server.log" 2>&1 &
server=$!
trap 'kill $server ${controllers:-} 2>/dev/null || true' EXIT
until [ -s "$run/admin.conf" ]; do
  kill -0 $server
  sleep 0.2
done
"$folder/kube-controller-manager" --kubeconfig="$run/admin.conf" --leader-elect=false --secure-port=0 \
  --service-account-private-key-file="$run/data/pki/sa.key" --root-ca-file="$run/data/pki/ca.crt" \
  --controllers='*,-node-lifecycle-controller' >"$run/controllers.log" 2>&1 &
controllers=$!
# Some specs count nodes without using them. This one runs nothing.
export KUBECONFIG="$run/admin.conf"
echo '{"apiVersion":"v1","kind":"Node","metadata":{"name":"stand-in"}}' | "$folder/kubectl" create -f -
ready='{"type":"Ready","status":"True","reason":"StandIn","message":"It runs nothing."}'
"$folder/kubectl" patch node stand-in --subresource=status --type=merge \
  -p "{\"status\":{\"conditions\":[$ready],\"allocatable\":{\"pods\":\"110\"}}}"
"$folder/kubectl" patch node stand-in --type=merge -p '{"spec":{"taints":null}}'
"$folder/conformance.test" --kubeconfig="$run/admin.conf" --kubectl-path="$folder/kubectl" \
  --provider=skeleton --ginkgo.no-color --ginkgo.timeout=3h --ginkgo.focus="$focus" \
  --ginkgo.skip="$skip" --ginkgo.json-report="$run/specs.json" >"$run/specs.log" 2>&1 || true
tail -n 4 "$run/specs.log"
