#!/bin/sh
# Starts an HDFS of one name node and one data node, from the mini cluster of Hadoop on Maven Central:
#   tools/peers/hdfs/start.sh FOLDER
# Needs Java 17 and Maven. What is downloaded is kept by Maven; the files of the cluster go to FOLDER, and are removed
# before each start. It says where the name node listens, and ends when its standard input does.
set -eu

if [ $# -ne 1 ]; then
  sed -n '2,5p' "$0" | sed 's/^# //' >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
rm -rf "$folder/data"
if [ ! -s "$folder/classpath" ] || [ "$here/pom.xml" -nt "$folder/classpath" ]; then
  mvn -q -B -f "$here/pom.xml" dependency:build-classpath -Dmdep.outputFile="$folder/classpath" >&2
fi
cd "$folder"
exec java -Xmx512m -cp "$(cat classpath)" "$here/MiniHdfs.java" "$folder/data" 2>"$folder/log"
