import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDocument, stringify } from 'yaml';
import { readPlainYaml } from '../../src/kubeconfig/plain-yaml.ts';

/** The result of the parser that reads all of YAML; undefined if the text is not YAML. */
const reference = (text: string): unknown => {
  const document = parseDocument(text, { merge: true, uniqueKeys: false });
  return document.errors.length > 0 ? undefined : (document.toJS() ?? {});
};

test('a kubeconfig as kubectl writes it is read without the parser', () => {
  const text = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    extensions:
    - extension:
        last-update: Sun, 15 Nov 2026 12:00:00 UTC
        version: v1.33.1
      name: cluster_info
    server: https://127.0.0.1:6443
  name: kind-kind
contexts:
- context: {}
  name: empty
current-context: "kind-kind"
kind: Config
preferences: {}
users: null
`;
  const read = readPlainYaml(text);
  assert.deepEqual(read, reference(text));
  assert.notEqual(read, undefined);
});

const word = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('true', 'no', 'null', '~', '1.5', '0x1f', '- a', 'a: b', '#', "it's", 'a #b', ''),
  fc.constantFrom('https://host:1/path', 'LS0tLS1CRUdJTg==', 'a/b.c-d_e', '-', '...', '__proto__'),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    word,
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('what is read is what the parser reads', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(2, 4), fc.boolean(), (value, indent, indentSeq) => {
      const text = stringify(value, { indent, indentSeq, aliasDuplicateObjects: false });
      const read = readPlainYaml(text);
      if (read !== undefined) assert.deepEqual(read, reference(text));
    }),
    { numRuns: 400 },
  );
});

test('lines in disorder are read as the parser reads them, or not at all', () => {
  const line = fc
    .tuple(
      fc.constantFrom('', ' ', '  ', '    ', '\t'),
      fc.constantFrom(
        'a:',
        'b: x',
        '- c: y',
        '- d:',
        '- e',
        '-',
        '- - f',
        '# g',
        '---',
        'h',
        '? i',
      ),
    )
    .map(([indent, text]) => indent + text);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
      const text = lines.join('\n');
      const read = readPlainYaml(text);
      if (read !== undefined) assert.deepEqual(read, reference(text), text);
    }),
    { numRuns: 2000 },
  );
});
