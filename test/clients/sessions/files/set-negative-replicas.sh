#!/bin/sh
# An editor that makes a mistake, and leaves it at that.
sed 's/replicas: [0-9]*$/replicas: -7/' "$1" >"$1.new" && mv "$1.new" "$1"
