import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import { parse } from 'yaml';
import { encodeReply } from '../../src/codec/negotiate/encode-reply.ts';
import { type ReplyShape, replyFormat } from '../../src/codec/negotiate/reply-format.ts';
import { bodyFormat, patchFormat } from '../../src/codec/negotiate/request-format.ts';
import { wantsGzip } from '../../src/codec/negotiate/wants-gzip.ts';
import { wantsPretty } from '../../src/codec/negotiate/wants-pretty.ts';

const outcome = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return `${error.code} ${error.message}`;
  }
};

const UNKNOWN_BODY =
  '415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** Content types and what kube-apiserver v1.36.3 makes of them. */
const BODIES: readonly (readonly [string | undefined, string])[] = [
  [undefined, 'json'],
  ['', 'json'],
  ['application/json', 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['APPLICATION/JSON', 'json'],
  ['application/json;', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
  ['text/plain', UNKNOWN_BODY],
  ['application/cbor', UNKNOWN_BODY],
  ['application/json; x', UNKNOWN_BODY],
  ['application/xml, application/json', UNKNOWN_BODY],
  ['application/merge-patch+json', UNKNOWN_BODY],
  ['bogus', UNKNOWN_BODY],
  ['application/x-www-form-urlencoded', UNKNOWN_BODY],
];

const meta = (kind: string, version = 'v1') =>
  `application/json;as=${kind};v=${version};g=meta.k8s.io`;
const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const NOT_ACCEPTABLE =
  '406 only the following media types are accepted: application/json, application/yaml';

/** Accept headers, what is asked for, and the encoding and transformation that kube-apiserver chooses. */
const REPLIES: readonly (readonly [string | undefined, ReplyShape, string])[] = [
  [undefined, 'list', 'json'],
  ['', 'list', 'json'],
  ['*/*', 'list', 'json'],
  ['application/*', 'list', 'json'],
  ['application/yaml', 'object', 'yaml'],
  ['application/json;q=0.1,application/yaml;q=0.9', 'list', 'yaml'],
  ['application/json;q=0', 'list', 'json'],
  ['application/json;q=abc', 'list', 'json'],
  ['*/*,application/yaml', 'list', 'yaml'],
  ['application/json; charset=utf-8', 'list', 'json'],
  ['application/json;stream=watch', 'list', 'json'],
  [meta('Table'), 'list', 'json as Table v1'],
  [meta('Table', 'v1beta1'), 'object', 'json as Table v1beta1'],
  [`${meta('Table')},${meta('Table', 'v1beta1')},application/json`, 'list', 'json as Table v1'],
  [`${meta('Table', 'v2')},application/json`, 'list', 'json'],
  ['application/yaml;as=Table;v=v1;g=meta.k8s.io', 'list', 'yaml as Table v1'],
  [meta('PartialObjectMetadata'), 'object', 'json as PartialObjectMetadata v1'],
  [meta('PartialObjectMetadata'), 'watch', 'json as PartialObjectMetadata v1'],
  [meta('PartialObjectMetadataList'), 'list', 'json as PartialObjectMetadataList v1'],
  ['application/vnd.kubernetes.protobuf,application/json', 'object', 'json'],
  ['application/vnd.kubernetes.protobuf, */*', 'object', 'json'],
  [
    `application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${meta('PartialObjectMetadata')}`,
    'object',
    'json as PartialObjectMetadata v1',
  ],
  [
    'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json',
    'list',
    'json',
  ],
  [DISCOVERY, 'discovery', 'json as APIGroupDiscoveryList v2'],
  [`${DISCOVERY.replace('v2', 'v3')},application/json`, 'discovery', 'json'],
  ['text/plain', 'list', NOT_ACCEPTABLE],
  ['application/cbor', 'list', NOT_ACCEPTABLE],
  ['garbage', 'list', NOT_ACCEPTABLE],
  [';;;', 'list', NOT_ACCEPTABLE],
  ['APPLICATION/JSON', 'list', NOT_ACCEPTABLE],
  ['application/json;stream=foo', 'list', NOT_ACCEPTABLE],
  ['application/json;as=Table', 'list', NOT_ACCEPTABLE],
  ['application/json;v=v1', 'list', NOT_ACCEPTABLE],
  ['application/json;as="Table";v=v1;g=meta.k8s.io', 'list', NOT_ACCEPTABLE],
  [meta('Table', 'v2'), 'list', NOT_ACCEPTABLE],
  [meta('Foo'), 'list', NOT_ACCEPTABLE],
  [meta('Table'), 'plain', NOT_ACCEPTABLE],
  [meta('Table'), 'discovery', NOT_ACCEPTABLE],
  [DISCOVERY, 'list', NOT_ACCEPTABLE],
  [
    'application/yaml',
    'watch',
    '406 only the following media types are accepted: application/json;stream=watch',
  ],
  [
    meta('PartialObjectMetadata'),
    'list',
    '406 you requested PartialObjectMetadata, but the requested object is a list',
  ],
  [
    meta('PartialObjectMetadataList'),
    'object',
    '406 you requested PartialObjectMetadataList, but the requested object is not a list',
  ],
];

describe('content types of requests', () => {
  for (const [contentType, expected] of BODIES) {
    it(`takes a body of type ${contentType ?? 'nothing'}`, () => {
      assert.equal(
        outcome(() => bodyFormat(contentType)),
        expected,
      );
    });
  }

  it('knows the four patches', () => {
    const types = [
      'json-patch+json',
      'merge-patch+json',
      'strategic-merge-patch+json',
      'apply-patch+yaml',
    ];
    assert.deepEqual(
      types.map((type) => patchFormat(`application/${type}; charset=utf-8`, 'built-in')),
      ['json-patch', 'merge-patch', 'strategic-merge-patch', 'apply-patch'],
    );
  });

  it('has no strategic merge for custom resources', () => {
    for (const type of ['application/strategic-merge-patch+json', 'application/json', undefined]) {
      assert.equal(
        outcome(() => patchFormat(type, 'crd')),
        '415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
    }
  });
});

describe('formats of replies', () => {
  for (const [accept, shape, expected] of REPLIES) {
    it(`answers a ${shape} for ${accept ?? 'no Accept header'}`, () => {
      const chosen = outcome(() => {
        const { encoding, as } = replyFormat(accept, shape);
        return as === undefined ? encoding : `${encoding} as ${as.kind} ${as.version}`;
      });
      assert.equal(chosen, expected);
    });
  }

  it('repeats the whole type of aggregated discovery, by which clients know it', () => {
    assert.equal(replyFormat(DISCOVERY, 'discovery').contentType, DISCOVERY);
    assert.equal(replyFormat(meta('Table'), 'list').contentType, 'application/json');
  });

  it('indents what people read', () => {
    assert.equal(replyFormat('application/json;pretty=1', 'list').isPretty, true);
    assert.equal(wantsPretty('true', 'kubectl'), true);
    assert.equal(wantsPretty('0', 'curl/8.5'), false);
    assert.equal(wantsPretty(null, 'curl/8.5'), true);
    assert.equal(wantsPretty(undefined, 'Mozilla/5.0 (X11)'), true);
    assert.equal(wantsPretty(null, 'kubectl/v1.36'), false);
    assert.equal(wantsPretty(null, undefined), false);
  });

  it('compresses large replies for those who can read it', () => {
    assert.equal(wantsGzip('gzip', 128 * 1024 + 1), true);
    assert.equal(wantsGzip('deflate, gzip;q=1.0, *;q=0.5', 200_000), true);
    assert.equal(wantsGzip('gzip', 128 * 1024), false);
    assert.equal(wantsGzip('deflate', 200_000), false);
    assert.equal(wantsGzip(undefined, 200_000), false);
  });
});

describe('encodeReply', () => {
  const object = {
    kind: 'A',
    apiVersion: 'v1',
    data: { on: 'yes', day: '2026-11-15', n: '1' },
    list: [{ b: 1, a: null }],
  };

  it('ends a line of JSON, and indents by two', () => {
    assert.equal(encodeReply({ a: [1] }, { encoding: 'json', isPretty: false }), '{"a":[1]}\n');
    assert.equal(
      encodeReply({ a: [1] }, { encoding: 'json', isPretty: true }),
      '{\n  "a": [\n    1\n  ]\n}',
    );
  });

  it('writes YAML that YAML 1.1 reads back as it was', () => {
    const text = encodeReply(object, { encoding: 'yaml', isPretty: false });
    assert.equal(
      text,
      'apiVersion: v1\ndata:\n  day: "2026-11-15"\n  "n": "1"\n  "on": "yes"\nkind: A\nlist:\n- a: null\n  b: 1\n',
    );
    assert.deepEqual(parse(text, { version: '1.1' }), object);
  });
});
