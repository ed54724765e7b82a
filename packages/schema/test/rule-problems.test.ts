import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  StructuralSchema,
  ValidationRule,
} from '@perigee/schema/structural/structural-schema';
import { ruleProblems } from '@perigee/schema/validate/rule-problems';
import { compileValidator } from '@perigee/schema/validate/validate';

const ruled = (
  schema: StructuralSchema,
  ...rules: readonly ValidationRule[]
): StructuralSchema => ({
  ...schema,
  'x-kubernetes-validations': rules,
});
const INT: StructuralSchema = { type: 'integer' };

describe('problems of rules', () => {
  it('are told with the path in the schema', () => {
    const schema: StructuralSchema = ruled(
      {
        type: 'object',
        properties: {
          spec: ruled(
            {
              type: 'object',
              properties: {
                n: ruled(INT, { rule: 'self > 0' }, { rule: 'self >' }),
                list: { type: 'array', items: ruled(INT, { rule: 'self.x' }) },
                map: { type: 'object', additionalProperties: ruled(INT, { rule: 'foo(self)' }) },
              },
            },
            { rule: 'self.nope == 1' },
            { rule: 'true', messageExpression: 'self.n' },
            { rule: 'true', fieldPath: '.nope' },
            { rule: 'true', fieldPath: 'n' },
          ),
        },
      },
      { rule: 'self.spec.n' },
    );
    assert.deepEqual(
      ruleProblems(schema).map(({ field }) => field),
      [
        'x-kubernetes-validations[0].rule',
        'properties[spec].x-kubernetes-validations[0].rule',
        'properties[spec].x-kubernetes-validations[1].messageExpression',
        'properties[spec].x-kubernetes-validations[2].fieldPath',
        'properties[spec].x-kubernetes-validations[3].fieldPath',
        'properties[spec].properties[n].x-kubernetes-validations[1].rule',
        'properties[spec].properties[list].items.x-kubernetes-validations[0].rule',
        'properties[spec].properties[map].additionalProperties.x-kubernetes-validations[0].rule',
      ],
    );
  });

  it('show the rule and the place in it', () => {
    const [problem] = ruleProblems(ruled({ type: 'object' }, { rule: 'self.nope\n  == 1' }));
    assert.deepEqual(problem, {
      reason: 'FieldValueInvalid',
      field: 'x-kubernetes-validations[0].rule',
      message:
        'Invalid value: {"Rule":"self.nope\\n  == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ' +
        "compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope\n | ....^",
    });
  });

  it('include a rule about old values where these cannot be found', () => {
    const items = ruled({ type: 'object', properties: { k: INT } }, { rule: 'self == oldSelf' });
    const list = (more: StructuralSchema): StructuralSchema => ({
      type: 'object',
      properties: { list: { type: 'array', items, ...more } },
    });
    assert.match(
      ruleProblems(list({}))[0]?.message ?? '',
      /oldSelf cannot be used on the uncorrelatable portion of the schema/,
    );
    const byKey = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] } as const;
    assert.deepEqual(ruleProblems(list(byKey)), []);
  });

  it('include a rule on a value of which the schema says nothing', () => {
    const schema = ruled({ 'x-kubernetes-preserve-unknown-fields': true }, { rule: 'true' });
    assert.match(
      ruleProblems({ type: 'object', properties: { any: schema } })[0]?.message ?? '',
      /failed to convert to declType/,
    );
  });

  it('are errors of every object, and do not stop the other rules', () => {
    const schema = ruled({ type: 'object' }, { rule: 'nope' }, { rule: 'false', message: 'no' });
    assert.deepEqual(
      compileValidator(schema)({}).map(({ message }) => message.split('\n')[0]),
      [
        "Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')",
        'Invalid value: no',
      ],
    );
  });
});
