import { gzipSync } from 'node:zlib';
import type { Chance } from './chance.ts';
import { ODD_JSON } from './odd-values.ts';
import { SENT_OBJECTS } from './sent-objects.ts';

const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
const text = (value: string): Buffer => Buffer.from(value);

/** A ConfigMap as clients of Kubernetes write it in protobuf. */
export const PROTOBUF = Buffer.concat([
  text('k8s\0'),
  field(1, Buffer.concat([field(1, text('v1')), field(2, text('ConfigMap'))])),
  field(
    2,
    Buffer.concat([
      field(1, field(1, text('binary'))),
      field(2, Buffer.concat([field(1, text('key')), field(2, text('value'))])),
    ]),
  ),
]);

/** JSON is YAML already; this is some that is nothing else. */
export const YAML =
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n  labels: &l {a: b}\n  annotations: *l\ndata:\n  <<: {k: v}\n  key: |\n    value\n  date: 2020-01-01\n  octal: 0o7\n';

/** Puts something else in the place of a value. */
const withOddValue = (chance: Chance, json: string): string => {
  const values = [...json.matchAll(/(?<=[:[,])("[^"]*"|\d+|\{|\[)/g)];
  const [found] = values.length === 0 ? [] : [chance.pick(values)];
  if (found === undefined) return json;
  const end = found.index + (/[{[]/.test(found[0]) ? 0 : found[0].length);
  return json.slice(0, found.index) + chance.pick(ODD_JSON) + json.slice(end);
};

/** Replaces, cuts, doubles or puts in some bytes. */
const withOddBytes = (chance: Chance, body: Buffer): Buffer => {
  const at = chance.below(body.length + 1);
  const end = at + chance.below(Math.min(40, body.length - at + 1));
  const odd = Buffer.from([chance.below(256)]);
  switch (chance.below(5)) {
    case 0:
      return Buffer.concat([body.subarray(0, at), odd, body.subarray(at + 1)]);
    case 1:
      return body.subarray(0, at);
    case 2:
      return Buffer.concat([body.subarray(0, end), body.subarray(at)]);
    case 3:
      return Buffer.concat([body.subarray(0, at), body.subarray(end)]);
    default:
      return Buffer.concat([body.subarray(0, at), odd, odd, body.subarray(at)]);
  }
};

/** An object as a body, with a few changes. */
export const makeBodyOf = (chance: Chance, object: unknown, oddness: number): Buffer => {
  let json = JSON.stringify(object);
  while (chance.happens(oddness)) json = withOddValue(chance, json);
  let body: Buffer = Buffer.from(json);
  while (chance.happens(oddness / 3)) body = withOddBytes(chance, body);
  return body;
};

/** The body of a request, if any. */
export const makeBody = (chance: Chance): Buffer => {
  if (chance.happens(0.1)) return Buffer.alloc(0);
  let body = makeBodyOf(chance, chance.pick(SENT_OBJECTS), 0.5);
  if (chance.happens(0.12)) body = PROTOBUF;
  else if (chance.happens(0.1)) body = Buffer.from(YAML);
  while (chance.happens(0.25)) body = withOddBytes(chance, body);
  return chance.happens(0.05) ? gzipSync(body) : body;
};
