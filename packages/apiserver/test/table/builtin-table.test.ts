import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { toPartialMetadataList } from '../../src/table/partial-metadata.ts';
import { toTable } from '../../src/table/to-table.ts';
// Objects, and the columns and cells that kube-apiserver v1.36.3 showed of them.
import recorded from './builtin-tables.json' with { type: 'json' };

interface Row {
  readonly cells: readonly JsonValue[];
}

const tableOf = (group: string, plural: string, objects: readonly JsonObject[], nowMs: number) => {
  const { apiVersion } = objects[0] ?? {};
  const resource = serverResources().find(
    (served) =>
      served.group === group &&
      served.plural === plural &&
      (apiVersion === undefined || apiVersion === apiVersionOf(served)),
  );
  assert.ok(resource, plural);
  const { columnDefinitions, rows } = toTable(resource, objects, { nowMs });
  return {
    definitions: columnDefinitions as readonly JsonObject[],
    rows: rows as unknown as readonly Row[],
  };
};

const cellsOf = (group: string, plural: string, object: JsonObject, nowMs = 0) => {
  const { definitions, rows } = tableOf(group, plural, [object], nowMs);
  return Object.fromEntries(
    definitions.map(({ name }, index) => [String(name), rows[0]?.cells[index]]),
  );
};

describe('the tables of built-in kinds', () => {
  for (const { group, plural, nowMs, columns, rows } of recorded) {
    const name = group === '' ? plural : `${plural}.${group}`;
    const objects = rows.map(({ object }) => object as unknown as JsonObject);

    it(`${name} have the columns that kube-apiserver gives them`, () => {
      assert.deepEqual(
        tableOf(group, plural, [], nowMs).definitions.map(
          (column) => `${column.name}|${column.type}|${column.format}|${column.priority}`,
        ),
        columns,
      );
    });

    it(`${name} have the cells that kube-apiserver shows`, () => {
      const table = tableOf(group, plural, objects, nowMs);
      assert.deepEqual(
        table.rows.map(({ cells }) => cells),
        rows.map(({ cells }) => cells),
      );
    });
  }

  it('describe every column in words', () => {
    for (const { group, plural } of recorded) {
      for (const { name, description } of tableOf(group, plural, [], 0).definitions) {
        assert.match(String(description), /^[A-Z].*\.$/, `${plural}: ${name}`);
      }
    }
  });

  it('show something of objects that have nothing but a name', () => {
    for (const { group, plural } of recorded) {
      const { definitions, rows } = tableOf(group, plural, [{ metadata: { name: 'a' } }], 0);
      assert.equal(rows[0]?.cells.length, definitions.length, plural);
      assert.ok(rows[0]?.cells.includes('a'), plural);
      assert.ok(!rows[0]?.cells.includes('NaN'), plural);
    }
  });
});

describe('what a server without nodes cannot show', () => {
  it('a pod that is being deleted', () => {
    const metadata = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' };
    const statusOf = (status: JsonObject) => cellsOf('', 'pods', { metadata, status }).Status;
    assert.equal(statusOf({ phase: 'Running' }), 'Terminating');
    assert.equal(statusOf({ phase: 'Running', reason: 'NodeLost' }), 'Unknown');
    assert.equal(statusOf({ phase: 'Failed' }), 'Failed');
  });

  it('a job that has ended', () => {
    const status = {
      startTime: '2026-01-01T00:00:00Z',
      completionTime: '2026-01-01T00:03:07Z',
      succeeded: 1,
      conditions: [{ type: 'Complete', status: 'True' }],
    };
    const cells = cellsOf('batch', 'jobs', { spec: { completions: 1 }, status });
    assert.deepEqual(
      [cells.Status, cells.Completions, cells.Duration],
      ['Complete', '1/1', '3m7s'],
    );
  });

  it('a node that is not ready, and one that nobody has heard of', () => {
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    assert.equal(cellsOf('', 'nodes', { status: { conditions } }).Status, 'NotReady');
    assert.equal(cellsOf('', 'nodes', {}).Status, 'Unknown');
  });

  it('an autoscaler of the oldest version', () => {
    const object = {
      apiVersion: 'autoscaling/v1',
      spec: { targetCPUUtilizationPercentage: 50 },
      status: { currentCPUUtilizationPercentage: 20 },
    };
    const { Targets } = cellsOf('autoscaling', 'horizontalpodautoscalers', object);
    assert.equal(Targets, 'cpu: 20%/50%');
  });
});

describe('partial metadata', () => {
  it('keeps the metadata and drops the rest', () => {
    const objects = [{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: {} }];
    assert.deepEqual(
      toPartialMetadataList(objects, { resourceVersion: '7', remainingItemCount: 5 }),
      {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '7', remainingItemCount: 5 },
        items: [
          { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
        ],
      },
    );
  });
});
