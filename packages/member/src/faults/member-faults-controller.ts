import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Client } from '@perigee/kube/client/client';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { FAULT, readFaults } from './faults.ts';
import type { FaultyMember } from './faulty-member.ts';
import { fillNodes } from './fill-nodes.ts';

/** A member in this process, and the control plane's connection to it. */
export interface HostedMember {
  readonly client: Client;
  readonly faulty: FaultyMember;
}

const ADVICE = 'say unreachable, slow=<duration> such as slow=2s, or full';

const wordsOf = ({ metadata }: MemberCluster): string | undefined => metadata.annotations?.[FAULT];

export const MEMBER_FAULTS = 'member-faults';

/** Injects the faults that annotations of Clusters ask for into members of this process. */
export const memberFaultsController = (
  find: (member: string) => HostedMember | undefined,
): ControllerDefinition =>
  defineController({
    name: MEMBER_FAULTS,
    for: MemberCluster,
    when: (now, before) =>
      now === undefined || before === undefined || wordsOf(now) !== wordsOf(before),
    async reconcile(ref, { cache, events, signal }) {
      const member = find(ref.name);
      const cluster = cache(MemberCluster).get(ref);
      if (member === undefined || cluster === undefined) return undefined;
      const { faults, unknown } = readFaults(wordsOf(cluster));
      if (unknown.length > 0) {
        const message = `no fault of a member: ${unknown.join(', ')}; ${ADVICE}`;
        events.warning(cluster, 'UnknownFault', message);
      }
      member.faulty.set(faults);
      await fillNodes(member.client, faults.isFull, { signal });
      return undefined;
    },
  });
