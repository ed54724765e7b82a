import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { carryData } from '../../src/data/carry-data.ts';
import type { ClaimData } from '../../src/data/claim-data.ts';
import { HELD_FOR } from '../../src/data/data-marks.ts';
import { gateStep } from '../../src/gate/gate-step.ts';
import { claimOf, sourceOf } from '../data/claims.ts';
import { bindingOf } from '../placement/binding-of.ts';

const waiting: ClaimData = { claim: claimOf('one'), clusters: [] };
const settled: ClaimData = { ...waiting, source: sourceOf('s'), clusters: ['a'] };
const heldWith = (suspension: object) =>
  carryData(bindingOf({ placement: {}, suspension }), undefined, [waiting]);
const releasedBy = (suspension: object) => {
  const held = heldWith(suspension);
  // The admission has put the data into it, and the gate has not looked at it yet.
  return gateStep(carryData(held, held, [settled]), [settled]);
};

describe('the gate', () => {
  it('does not touch work that nobody holds and no claim concerns', () => {
    assert.deepEqual(gateStep(bindingOf(), []), {});
    assert.deepEqual(gateStep(bindingOf({ suspension: { scheduling: true } }), []), {});
  });

  it('says what held work waits for, at most three of it', () => {
    const claims = ['one', 'two', 'three', 'four', 'five'].map((name) => ({
      claim: claimOf(name),
      clusters: [],
    }));
    const held = carryData(bindingOf({ placement: {} }), undefined, claims);
    const data = 'hive table db.sales';
    assert.deepEqual(gateStep(held, claims), {
      admittance: {
        isAdmitted: false,
        message: `waits for ${data} (claim five), ${data} (claim four), ${data} (claim one) and 2 more`,
      },
    });
  });

  it('lets work through whose placement carries its data, and leaves what else is suspended', () => {
    const release = (suspension: object | null) => ({
      metadata: { resourceVersion: '7', annotations: { [HELD_FOR]: null } },
      spec: { suspension },
    });
    assert.deepEqual(releasedBy({}).patch, release(null));
    assert.deepEqual(releasedBy({ dispatching: true }).patch, release({ scheduling: null }));
    assert.equal(releasedBy({}).admittance?.isAdmitted, true);
  });

  it('leaves alone what a user has suspended, and says that nothing else holds it', () => {
    const { patch, admittance } = releasedBy({ scheduling: true });
    assert.equal(patch, undefined);
    assert.equal(admittance?.isAdmitted, true);
  });

  it('waits for the admission while the placement does not carry the data yet', () => {
    assert.deepEqual(gateStep(heldWith({}), [settled]), {});
  });
});
