import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { carriedPlacement } from '@perigee/scheduling/data/carried-placement';
import { type BindingDraft, carryData } from '@perigee/scheduling/data/carry-data';
import { clusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { schedule } from '@perigee/scheduling/placement/scheduler/schedule';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { bindingObject, clusterObject } from './scheduler-objects.ts';

const ROUNDS = 15;
const DECISIONS = 1000;

/** Decisions per second of processor time, including the parsing of the annotations. */
const rateOf = (binding: BindingDraft, clusters: ReturnType<typeof clusterFacts>[]): number => {
  const world = { clusters, rules: standardRules };
  const before = process.cpuUsage();
  for (let at = 0; at < DECISIONS; at += 1) {
    const { outcome } = schedule(binding.spec, {}, world, carriedPlacement(binding.metadata));
    if (outcome.kind !== 'placed') throw new Error(outcome.message);
  }
  const { user, system } = process.cpuUsage(before);
  return (DECISIONS / (user + system)) * 1e6;
};

/** Decisions with a claim whose data is in all clusters, so that as many are left to choose from, and without. */
export const decisionRates = (count: number) => {
  const names = Array.from({ length: count }, (_, at) => `m${at}`);
  const clusters = names.map((_, at) =>
    clusterFacts(clusterObject(at, false) as unknown as MemberCluster),
  );
  const { metadata, spec } = bindingObject(0);
  const plain: BindingDraft = { metadata, spec: spec as never as BindingSpec };
  const claim = { metadata: { name: 'c' }, spec: { system: 'hive', dataSourceType: 'table' } };
  const source = { metadata: { name: 's' }, spec: { system: 'hive', type: 'table', name: 't' } };
  const data = {
    claim: claim as DataSourceClaim,
    source: source as DataSource,
    clusters: names,
  };
  const withClaim = carryData(plain, undefined, [data]);
  const rounds = Array.from({ length: ROUNDS + 1 }, () => ({
    plain: rateOf(plain, clusters),
    claimed: rateOf(withClaim, clusters),
  })).slice(1);
  return {
    plainDecisions: rounds.map((round) => round.plain),
    claimedDecisions: rounds.map((round) => round.claimed),
  };
};
