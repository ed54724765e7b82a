import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import { decodeObject, type ExpectedKind } from '../../src/codec/negotiate/decode-object.ts';

const configMap: ExpectedKind = { group: '', version: 'v1', kind: 'ConfigMap', origin: 'built-in' };
const deployment: ExpectedKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  origin: 'built-in',
};
const widget: ExpectedKind = { group: 'codec.test', version: 'v1', kind: 'Widget', origin: 'crd' };

const refusalOf = (text: string, format: 'json' | 'yaml', kind: ExpectedKind): ApiError => {
  try {
    decodeObject(Buffer.from(text), format, kind);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
  throw new Error('no refusal');
};

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const UNRECOGNISED = 'the object provided is unrecognized (must be of type ConfigMap): ';
const NO_META = `${UNRECOGNISED}couldn't get version/kind; json parse error: `;
const NO_META_WIDGET = NO_META.replace('ConfigMap', 'Widget');

/** Requests and the messages of kube-apiserver v1.36.3, all with code 400. */
const GOLDEN: readonly (readonly ['json' | 'yaml', ExpectedKind, string, string])[] = [
  ['json', configMap, '', `${NO_META}unexpected end of JSON input (<empty>)`],
  ['json', configMap, '{', `${NO_META}unexpected end of JSON input ({)`],
  ['json', configMap, '[', `${NO_META}unexpected end of JSON input (5b)`],
  ['json', configMap, '  \n', `${NO_META}unexpected end of JSON input (20200a)`],
  [
    'json',
    configMap,
    '{"kind":"ConfigMap","apiVersion":"v1"} x',
    `${NO_META}invalid character 'x' after top-level value ({"kind":"ConfigMap","apiVersio ...)`,
  ],
  [
    'json',
    configMap,
    '\ufeff{"kind":"ConfigMap"}',
    `${NO_META}invalid character 'ï' looking for beginning of value (efbbbf7b226b696e64223a22436f6e6669674d6170227d)`,
  ],
  [
    'json',
    configMap,
    '"str"',
    `${NO_META}json: cannot unmarshal string into Go value of type ${TYPE_META} (2273747222)`,
  ],
  [
    'json',
    configMap,
    '[]',
    `${NO_META}json: cannot unmarshal array into Go value of type ${TYPE_META} (5b5d)`,
  ],
  [
    'json',
    configMap,
    '5',
    `${NO_META}json: cannot unmarshal number into Go value of type ${TYPE_META} (35)`,
  ],
  [
    'json',
    configMap,
    '{"kind":5,"apiVersion":"v1","metadata":{"name":"a"}}',
    `${NO_META}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5,"apiVersion":"v1","m ...)`,
  ],
  [
    'json',
    widget,
    '[]',
    `${NO_META_WIDGET}json: cannot unmarshal array into Go value of type ${TYPE_META} (5b5d)`,
  ],
  [
    'json',
    widget,
    'null',
    "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in 'null' (6e756c6c)",
  ],
  [
    'json',
    widget,
    '{"metadata":{"name":"a"}}',
    'the object provided is unrecognized (must be of type Widget): Object \'Kind\' is missing in \'{"metadata":{"name":"a"}}\' ({"metadata":{"name":"a"}})',
  ],
  [
    'json',
    widget,
    '{"kind":"Widget","metadata":{"name":"a"}}',
    'the API version in the data () does not match the expected API version (codec.test/v1)',
  ],
  [
    'json',
    widget,
    '{"apiVersion":"codec.test/v2","kind":"Widget"}',
    'the API version in the data (codec.test/v2) does not match the expected API version (codec.test/v1)',
  ],
  [
    'json',
    widget,
    '{"apiVersion":"codec.test/v1","kind":"Widget","f":1e400}',
    'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number 1e400 into Go value of type float64',
  ],
  ['yaml', configMap, 'a: *b', `${UNRECOGNISED}yaml: unknown anchor 'b' referenced (613a202a62)`],
  [
    'yaml',
    configMap,
    'a: &x [*x]',
    `${UNRECOGNISED}yaml: anchor 'x' value contains itself (613a202678205b2a785d)`,
  ],
  [
    'yaml',
    configMap,
    '- a',
    `${NO_META}json: cannot unmarshal array into Go value of type ${TYPE_META} (2d2061)`,
  ],
  ['yaml', configMap, 'a: .inf', `${UNRECOGNISED}json: unsupported value: +Inf (613a202e696e66)`],
];

describe('decodeObject', () => {
  for (const [format, kind, text, message] of GOLDEN) {
    it(`refuses ${format} for a ${kind.kind}: ${JSON.stringify(text)}`, () => {
      const refusal = refusalOf(text, format, kind);
      assert.deepEqual(
        [refusal.code, refusal.reason, refusal.message],
        [400, 'BadRequest', message],
      );
    });
  }

  it('refuses another kind than the path is about', () => {
    assert.equal(
      refusalOf('{"kind":"Foo","apiVersion":"v1"}', 'json', configMap).message,
      'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    );
    assert.equal(
      refusalOf('{"kind":"Secret","apiVersion":"v1"}', 'json', configMap).message,
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    );
    const custom = refusalOf(
      '{"kind":"Foo","apiVersion":"codec.test/v1","metadata":{"name":"a"}}',
      'json',
      widget,
    );
    assert.equal(custom.code, 422);
    assert.equal(
      custom.message,
      'Foo.codec.test "a" is invalid: kind: Invalid value: "Foo": must be Widget',
    );
  });

  it('fills in the type of what is built in', () => {
    const { object } = decodeObject(Buffer.from('{"metadata":{"name":"a"}}'), 'json', deployment);
    assert.deepEqual(object, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
    });
    const { object: empty } = decodeObject(Buffer.from('# nothing'), 'yaml', configMap);
    assert.deepEqual(empty, { apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it('words duplicates of JSON for warnings and for strict validation', () => {
    const body =
      '{"spec":{"replicas":3,"replicas":4,"template":{"spec":{"containers":[{"name":"a"},{"name":"b","name":"c"}]}}}}';
    const { warnings, strictErrors } = decodeObject(Buffer.from(body), 'json', deployment);
    assert.deepEqual(warnings, [
      'duplicate field "spec.replicas"',
      'duplicate field "spec.template.spec.containers[1].name"',
    ]);
    assert.deepEqual(strictErrors, warnings);
  });

  it('words duplicates of YAML in the same way as kube-apiserver', () => {
    const body =
      'apiVersion: codec.test/v1\nkind: Widget\nmetadata: {name: a}\na: 1\na: 2\nb: {c: 1, c: 2}\n';
    const { warnings, strictErrors } = decodeObject(Buffer.from(body), 'yaml', widget);
    assert.deepEqual(warnings, [
      'line 5: key "a" already set in map',
      'line 6: key "c" already set in map',
    ]);
    assert.deepEqual(strictErrors, [
      'yaml: unmarshal errors:\n  line 5: key "a" already set in map\n  line 6: key "c" already set in map',
    ]);
  });
});
