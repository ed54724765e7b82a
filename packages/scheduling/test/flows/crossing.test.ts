import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CrossingFacts } from '../../src/flows/crossing.ts';
import { type PlacingFacts, placeOperation } from '../../src/flows/place-operation.ts';
import { routeTo, shareOf, transferAddress } from '../../src/flows/transfer-routes.ts';
import { operation } from './operations.ts';

const cluster = (name: string) => ({
  name,
  labels: {},
  provider: '',
  region: '',
  zones: [],
  isReady: true,
  runs: { really: true, played: false },
});
const CROSSING: CrossingFacts = {
  loadsOwnCopies: false,
  canServe: () => true,
  priceOf: () => undefined,
};
const facts = (more: Partial<PlacingFacts> = {}): PlacingFacts => ({
  policy: undefined,
  clusters: ['a', 'b', 'c'].map(cluster),
  datasetClusters: ['a'],
  followed: undefined,
  predecessors: [],
  originOf: undefined,
  copiesDatasets: false,
  waitingWork: [],
  crossing: CROSSING,
  ...more,
});
const on = (...clusterNames: string[]) => ({ clusterAffinity: { clusterNames } });
const migrate = (placement?: object) =>
  operation('DataMigrate', {
    spec: {
      from: { dataset: { name: 'raw', namespace: 'default' } },
      to: { dataset: { name: 'copy', namespace: 'default' } },
      ...(placement && { placement }),
    },
  });
const load = (placement?: object, metadata = {}) =>
  operation('DataLoad', { spec: placement ? { placement } : {}, metadata });
const spreads = { crossing: { ...CROSSING, loadsOwnCopies: true } };

describe('whether data comes from another cluster', () => {
  it('does not where the operation may run beside the data', () => {
    const { crossing, placement } = placeOperation(migrate(on('a', 'b')), facts());
    assert.equal(crossing, undefined);
    assert.deepEqual(placement.clusterAffinity?.clusterNames, ['a']);
    assert.equal(placeOperation(migrate(), facts()).crossing, undefined);
  });

  it('does where it may only run elsewhere, by its placement, a policy or work that waits', () => {
    const from = { kind: 'transfer', from: 'a', path: 'Direct' };
    assert.deepEqual(placeOperation(migrate(on('b')), facts()).crossing, from);
    const policy = { name: 'p', placement: on('c') };
    assert.deepEqual(placeOperation(migrate(), facts({ policy })).crossing, from);
    const waiting = [{ name: 'Deployment web', placement: on('c') }];
    const placed = placeOperation(migrate(), facts({ waitingWork: waiting }));
    assert.deepEqual([placed.crossing, placed.word.reason], [from, 'WhereClaimsWait']);
  });

  it('takes a dataset without an origin to where it is not, and says so when it is everywhere', () => {
    const { crossing, placement } = placeOperation(load(), facts(spreads));
    assert.equal(crossing?.kind, 'transfer');
    assert.deepEqual(placement.clusterAffinity?.exclude, ['a']);
    const everywhere = placeOperation(load(on('a')), facts(spreads));
    assert.equal(everywhere.crossing?.kind, 'refused');
    const isNowhere = facts({ ...spreads, datasetClusters: [] });
    assert.equal(placeOperation(load(), isNowhere).crossing, undefined);
  });

  it('takes the cheapest cluster, then the first; through a store if none can be reached; or none', () => {
    const holders = { datasetClusters: ['a', 'b'] };
    const with_ = (more: Partial<CrossingFacts>) =>
      placeOperation(migrate(on('c')), facts({ ...holders, crossing: { ...CROSSING, ...more } }))
        .crossing;
    assert.deepEqual(with_({}), { kind: 'transfer', from: 'a', path: 'Direct' });
    const priceOf = (from: string) => (from === 'a' ? 2 : 1);
    assert.deepEqual(with_({ priceOf }), { kind: 'transfer', from: 'b', path: 'Direct' });
    const isReady = (name: string) => name === 'a';
    assert.deepEqual(with_({ priceOf, isReady }), { kind: 'transfer', from: 'a', path: 'Direct' });
    const canServe = () => false;
    const canStage = (name: string) => name === 'b';
    const staged = with_({ canServe, canStage });
    assert.deepEqual(staged, { kind: 'transfer', from: 'b', path: 'Staging' });
    const none = with_({ canServe });
    assert.ok(none?.kind === 'refused');
    assert.equal(none.reason, 'NoPathBetweenClusters');
  });

  it('takes the cluster from which all copies together are cheapest', () => {
    const priceOf = (from: string, to: string) => (from === 'b' ? 1 : to === 'c' ? 0 : 10);
    const clusters = ['a', 'b', 'c', 'd'].map(cluster);
    const all = facts({
      clusters,
      datasetClusters: ['a', 'b'],
      crossing: { ...CROSSING, priceOf },
    });
    const { crossing } = placeOperation(migrate(on('c', 'd')), all);
    assert.deepEqual(crossing, { kind: 'transfer', from: 'b', path: 'Direct' });
  });

  it('is not played: a simulation copies nothing', () => {
    const annotations = { 'flows.perigee.io/simulate': 'true' };
    const all = facts({
      ...spreads,
      clusters: [{ ...cluster('a'), runs: { really: false, played: true } }],
    });
    assert.equal(placeOperation(load(undefined, { annotations }), all).crossing, undefined);
  });
});

describe('what the inventory says of ways', () => {
  const record = (dataTransfer: object) => ({ spec: { dataTransfer } }) as never;
  const member = (annotations = {}) => ({ metadata: { name: 'a', annotations } }) as never;

  it('gives an address and a range of ports; virtual members are on this machine', () => {
    const virtual = member({ 'member.perigee.io/pods': 'processes' });
    assert.deepEqual(transferAddress(virtual, undefined), { kind: 'loopback' });
    assert.deepEqual(transferAddress(member(), record({ address: '[2001:db8::1]:31000-31009' })), {
      kind: 'node-ports',
      host: '[2001:db8::1]',
      firstPort: 31_000,
      lastPort: 31_009,
    });
    assert.equal(transferAddress(member(), record({ address: 'host:9-1' })), undefined);
    assert.equal(transferAddress(member(), undefined), undefined);
  });

  it('gives the price and the limit of a way, of all others by a star, shared by copies', () => {
    const egress = [
      { to: '*', pricePerGiB: '0.09' },
      { to: 'b', pricePerGiB: '20m', bytesPerSecond: '90Mi' },
    ];
    assert.deepEqual(routeTo(record({ egress }), 'c'), { pricePerGiB: 0.09 });
    const way = routeTo(record({ egress }), 'b');
    assert.deepEqual(way, { pricePerGiB: 0.02, bytesPerSecond: 90 * 2 ** 20 });
    assert.equal(shareOf(way, 3), 30 * 2 ** 20);
    assert.equal(shareOf({}, 3), undefined);
  });
});
