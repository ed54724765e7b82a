import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaOf } from '../../src/types/schema-of.ts';
import { specialType } from '../../src/types/special-types.ts';
import { builtinTable, type TableField } from '../../src/types/table.ts';
import { parseType, type TypeExpression } from '../../src/types/type-expression.ts';

const { types, resources, from } = builtinTable();

const structs = Object.entries(types).flatMap(([name, type]) =>
  'fields' in type ? [{ name, ...type }] : [],
);

const innermost = (type: TypeExpression): string =>
  type.form === 'named' ? type.name : innermost(type.of);

const fieldsOf = (name: string): readonly TableField[] => {
  const type = types[name];
  if (type === undefined || !('fields' in type)) throw new Error(`${name} is not a struct`);
  return type.fields.flatMap((field) => ('inline' in field ? fieldsOf(field.inline) : [field]));
};

const fieldOf = (typeName: string, name: string): TableField | undefined =>
  fieldsOf(typeName).find((field) => field.name === name);

test('the table says where it comes from', () => {
  assert.deepEqual(
    from.map((module) => module.split('@')[0]),
    [
      'k8s.io/api',
      'k8s.io/apimachinery',
      'k8s.io/apiextensions-apiserver',
      'k8s.io/kube-aggregator',
      'k8s.io/kubernetes',
    ],
  );
  assert.ok(structs.length > 500);
  assert.ok(resources.length > 60);
});

test('every type that is named is in the table, or known by itself', () => {
  const isKnown = (name: string): boolean =>
    types[name] !== undefined || specialType(name) !== undefined;
  for (const { name, fields } of structs) {
    for (const field of fields) {
      const used = 'inline' in field ? field.inline : innermost(parseType(field.type));
      assert.ok(isKnown(used), `${name} uses ${used}`);
    }
  }
  for (const { type } of resources) assert.ok(isKnown(type), type);
});

test('every field has a number and a name of its own', () => {
  for (const { name, fields } of structs) {
    const numbers = fields.map(({ number }) => number);
    assert.equal(new Set(numbers).size, numbers.length, name);
    assert.ok(
      numbers.every((number) => number > 0),
      name,
    );
    const names = fieldsOf(name).map((field) => field.name);
    assert.equal(new Set(names).size, names.length, name);
  }
});

test('the keys of a list are fields of its items that are there, or have a default', () => {
  for (const { name } of structs) {
    for (const field of fieldsOf(name)) {
      for (const key of [...(field.listMapKeys ?? []), ...(field.patchMergeKey ?? '').split(',')]) {
        if (key === '' || specialType(innermost(parseType(field.type))) !== undefined) continue;
        assert.ok(fieldOf(innermost(parseType(field.type)), key), `${name}.${field.name}: ${key}`);
      }
    }
  }
});

test('the facts of well-known fields', () => {
  const { number, ...selector } = fieldOf('apps.v1.DeploymentSpec', 'selector') ?? {};
  assert.deepEqual(selector, { name: 'selector', type: '*meta.v1.LabelSelector', required: true });
  assert.equal(number, 2);
  assert.deepEqual(fieldOf('core.v1.Container', 'ports'), {
    name: 'ports',
    type: '[]core.v1.ContainerPort',
    number: 6,
    omit: 'empty',
    listType: 'map',
    listMapKeys: ['containerPort', 'protocol'],
    patchStrategy: 'merge',
    patchMergeKey: 'containerPort',
  });
  assert.deepEqual(fieldOf('core.v1.ContainerPort', 'protocol'), {
    name: 'protocol',
    type: 'core.v1.Protocol',
    number: 4,
    omit: 'empty',
    default: 'TCP',
  });
  assert.deepEqual(types['core.v1.Protocol'], { enum: ['SCTP', 'TCP', 'UDP'] });
  assert.equal(fieldOf('core.v1.PodSpec', 'containers')?.patchMergeKey, 'name');
  assert.equal(fieldOf('core.v1.PodSpec', 'volumes')?.patchStrategy, 'merge,retainKeys');
  assert.equal(fieldOf('meta.v1.ObjectMeta', 'creationTimestamp')?.omit, 'zero');
});

test('a schema carries the facts of its type', () => {
  const deployment = schemaOf('apps.v1.Deployment');
  const spec = deployment.properties?.spec;
  assert.deepEqual(spec?.required, ['selector', 'template']);
  const pod = spec?.properties?.template?.properties?.spec;
  const container = pod?.properties?.containers?.items;
  assert.equal(pod?.properties?.containers?.['x-kubernetes-patch-merge-key'], 'name');
  assert.deepEqual(container?.properties?.ports?.['x-kubernetes-list-map-keys'], [
    'containerPort',
    'protocol',
  ]);
  assert.deepEqual(container?.properties?.resources?.default, {});
  assert.equal(pod?.properties?.nodeSelector?.['x-kubernetes-map-type'], 'atomic');
  assert.equal(spec?.properties?.selector?.['x-kubernetes-map-type'], 'atomic');
  assert.equal(schemaOf('apps.v1.Deployment'), deployment);
});

test('a schema that contains itself ends where it begins again', () => {
  const schema = schemaOf('apiextensions.v1.JSONSchemaProps');
  assert.deepEqual(schema.properties?.not, {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  });
});
