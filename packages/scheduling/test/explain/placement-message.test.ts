import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placementMessage } from '../../src/explain/history/placement-message.ts';

const withPlacement = (placement: object, annotations: { readonly [key: string]: string } = {}) =>
  ({ metadata: { name: 'web-deployment', annotations }, spec: { placement } }) as never;

const decidedOn = (placement: object) =>
  withPlacement(placement, {
    'policy.karmada.io/applied-placement': JSON.stringify(placement),
  });

const ANYWHERE = { clusterAffinity: { clusterNames: ['a', 'b'] } };
const ELSEWHERE = { clusterAffinity: { clusterNames: ['c'] } };

const cases: readonly (readonly [string, never, never, string])[] = [
  [
    'work without an earlier decision',
    withPlacement(ANYWHERE),
    withPlacement(ANYWHERE),
    'it is placed for the first time',
  ],
  [
    'an annotation that is no placement',
    withPlacement({}, { 'policy.karmada.io/applied-placement': '{' }),
    withPlacement(ANYWHERE),
    'it is placed for the first time',
  ],
  [
    'another cluster affinity and tolerations',
    decidedOn(ANYWHERE),
    withPlacement({ ...ELSEWHERE, clusterTolerations: [{ key: 'x' }] }),
    'its policy has another cluster affinity, tolerations than before',
  ],
  [
    'data that a claim brought',
    decidedOn(ANYWHERE),
    withPlacement(ELSEWHERE, {
      'policy.perigee.io/base-placement': JSON.stringify(ANYWHERE),
      'policy.perigee.io/claimed-data': JSON.stringify([
        { claim: 'c', source: 's', data: 'hub model llama' },
      ]),
    }),
    'it may run only where its data is: hub model llama',
  ],
];

for (const [name, decided, now, told] of cases) {
  it(`tells of ${name}`, () => assert.equal(placementMessage(decided, now), told));
}
