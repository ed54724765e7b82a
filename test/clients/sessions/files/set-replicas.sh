#!/bin/sh
# An editor: gives the object seven replicas.
sed -i 's/replicas: [0-9]*$/replicas: 7/' "$1"
