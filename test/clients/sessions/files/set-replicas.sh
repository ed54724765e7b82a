#!/bin/sh
# An editor: gives the object seven replicas.
sed 's/replicas: [0-9]*$/replicas: 7/' "$1" >"$1.new" && mv "$1.new" "$1"
