#!/bin/sh
# An editor that makes a mistake, and leaves it at that.
sed -i 's/replicas: [0-9]*$/replicas: -7/' "$1"
