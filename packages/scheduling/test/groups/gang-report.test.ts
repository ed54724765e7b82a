import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gangSum } from '@perigee/scheduling/groups/gang-condition';
import { reportedGangs, reportGangs } from '@perigee/scheduling/groups/gang-report';

const waiting = (message: string) => ({
  spec: { minMember: 2 },
  status: {
    phase: 'Pending' as const,
    conditions: [{ type: 'Unschedulable' as const, status: 'True' as const, message }],
  },
});

test('what an agent tells of very many groups is still understood', () => {
  const groups = Array.from({ length: 5000 }, (_, index) =>
    waiting(`0 of 2 pods have nodes, 2 are needed: ${index} ${'long '.repeat(50)}`),
  );
  const report = reportGangs(gangSum(groups as never));
  const told = reportedGangs({ status: { conditions: [report as never] } });
  assert.deepEqual(
    [told?.groups, told?.pods, told?.waitingPods, told?.why.length],
    [5000, 10_000, 10_000, 11],
  );
  assert.equal(told?.why.at(-1), 'and 4990 more');
});
