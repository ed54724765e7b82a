import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCrd } from '@perigee/api/kind/crd';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import type { JsonObject } from '@perigee/schema/json';
import { crdStrategy } from '../../src/crd/crd-strategy.ts';
import { validateCrd } from '../../src/crd/validate-crd.ts';
import { changedCrd, merge, recordedErrors } from './recorded-errors.ts';
import { widgetCrd, widgetVersion } from './widget-crd.ts';

const admit = (crd: JsonObject): JsonObject => {
  const { defaults, prepare } = crdStrategy;
  const defaulted = defaults?.(crd) ?? crd;
  return prepare?.(defaulted) ?? defaulted;
};

const problemsOf = (crd: JsonObject, old?: JsonObject): readonly string[] =>
  validateCrd(admit(crd), old).map(
    ({ reason, field, message }) => `${reason} ${field}: ${message}`,
  );

describe('a CRD is judged as by kube-apiserver:', () => {
  for (const recordedCase of recordedErrors()) {
    it(recordedCase.name, () => {
      const problems = problemsOf(changedCrd(recordedCase));
      assert.deepEqual([...problems].sort(), [...recordedCase.errors].sort());
    });
  }
});

describe('a CRD', () => {
  it('is right for every kind of the language', () => {
    for (const kind of allKinds) assert.deepEqual(problemsOf(toCrd(kind)), [], kind.kind);
  });

  it('has no checks across its status and the rest', () => {
    const version = widgetVersion({
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', maxProperties: 5 } },
    });
    const [problem = '', ...others] = problemsOf(widgetCrd({ versions: [version] }));
    assert.match(problem, /only \[Description Type .*\] fields are allowed at the root/);
    assert.deepEqual(others, []);
  });

  it('keeps what the server stores objects by', () => {
    const old = admit(widgetCrd());
    const established = merge(old, {
      status: { conditions: [{ type: 'Established', status: 'True' }] },
    });
    const changed = widgetCrd({
      group: 'example.org',
      scope: 'Cluster',
      names: { plural: 'gadgets', kind: 'Gadget' },
    });
    const immutable = (crd: JsonObject) =>
      problemsOf(changed, crd).filter((problem) => problem.endsWith('field is immutable'));
    assert.deepEqual(immutable(established), [
      'FieldValueInvalid spec.scope: Invalid value: "Cluster": field is immutable',
      'FieldValueInvalid spec.names.kind: Invalid value: "Gadget": field is immutable',
      'FieldValueInvalid spec.group: Invalid value: "example.org": field is immutable',
      'FieldValueInvalid spec.names.plural: Invalid value: "gadgets": field is immutable',
    ]);
    assert.equal(immutable(old).length, 2);
  });

  it('keeps a version in which objects may be stored', () => {
    const old = admit(widgetCrd());
    const moved = widgetCrd({ versions: [widgetVersion({ name: 'v2' })] });
    const [problem = ''] = validateCrd(crdStrategy.prepare?.(moved, old) ?? {}, old)
      .filter(({ field }) => field === 'status.storedVersions[0]')
      .map(({ message }) => message);
    assert.match(problem, /^Invalid value: "v1": missing from spec.versions; v1 was previously/);
  });

  it('that is no CRD at all gets errors, and breaks nothing', () => {
    for (const spec of [undefined, null, [], 'x', { versions: 'x', names: [] }]) {
      assert.ok(validateCrd({ metadata: { name: 'x' }, spec: spec as JsonObject }).length > 0);
    }
  });
});
