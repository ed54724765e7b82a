#!/bin/sh
# Builds the conformance specs of Kubernetes, and what has to run beside them, into a folder:
#   tools/conformance/build.sh FOLDER
# Needs Go and the network. What is there already is left alone.
set -eu

if [ $# -ne 1 ]; then
  sed -n '2,4p' "$0" | sed 's/^# //' >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
"$here/../peers/build.sh" "$1" kube-controller-manager kubectl
cd "$1"
if [ -x conformance.test ]; then exit; fi
mkdir -p src/conformance
cp src/kubernetes/go.mod src/kubernetes/go.sum "$here/suite_test.go" src/conformance
cd src/conformance
version=k8s.io/component-base/version
nice -n 15 go test -mod=mod -c -p 1 -o ../../conformance.test \
  -ldflags "-X $version.gitVersion=v1.36.3 -X $version.gitMajor=1 -X $version.gitMinor=36" .
