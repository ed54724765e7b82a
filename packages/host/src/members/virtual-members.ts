import { rm } from 'node:fs/promises';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { OpenedCluster } from '@perigee/controllers/clusters/southbound/southbound';
import type { VirtualHost } from '@perigee/controllers/clusters/southbound/virtual-host';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { ensureNodes } from '@perigee/member/nodes/ensure-nodes';
import type { NodeShape } from '@perigee/member/nodes/node-shape';
import { removeOtherNodes } from '@perigee/member/nodes/remove-other-nodes';
import type { ProcessOptions } from '@perigee/member/process-runtime/process-options';
import { podsAreRun } from '@perigee/scheduling/clusters/inventory/runs-pods';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { type HostOptions, hostMember, type RunningMember } from './host-member.ts';
import { memberNodes } from './member-plan.ts';
import { removeMemberSecret } from './member-secret.ts';

export interface VirtualMembersOptions extends HostOptions {
  /** Settings for pods that run as processes of this machine; absent if none of the member's pods may. */
  readonly processesOf: (member: string) => ProcessOptions | undefined;
}

interface Hosted {
  readonly member: RunningMember;
  readonly nodes: readonly NodeShape[];
}

/** The virtual members of this process, started and stopped with their records in the inventory. */
export class VirtualMembers implements VirtualHost, AsyncDisposable {
  /** The in-process clients by which the control plane reaches the members. */
  readonly clients: InProcessMembers;
  readonly #options: VirtualMembersOptions;
  readonly #hosted = new Map<string, Hosted>();

  constructor(options: VirtualMembersOptions) {
    this.#options = options;
    this.clients = new InProcessMembers(({ metadata }) => this.find(metadata.name)?.faulty.client);
  }

  find(name: string): RunningMember | undefined {
    return this.#hosted.get(name)?.member;
  }

  async ensure(record: ClusterRecord): Promise<OpenedCluster> {
    const nodes = memberNodes(record);
    const { name } = record.metadata;
    const hosted = this.#hosted.get(name);
    const member = await (hosted === undefined
      ? this.#start(name, nodes)
      : this.#change(name, hosted, nodes));
    const { url: apiEndpoint, secretRef } = member;
    const pods = podsAreRun(this.#options.processesOf(name));
    return { apiEndpoint, pods, ...present({ secretRef }) };
  }

  async remove(name: string): Promise<void> {
    const { server, isForOthers, processesOf } = this.#options;
    const hosted = this.#hosted.get(name);
    this.#hosted.delete(name);
    this.clients.changed(name);
    await hosted?.member[Symbol.asyncDispose]();
    // A name that no logical cluster can have was never hosted.
    if (server.clusters.includes(name)) await server.removeCluster(name);
    if (isForOthers) await removeMemberSecret(server, name);
    const { folder } = processesOf(name) ?? {};
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const members = Array.from(this.#hosted.values(), ({ member }) => member);
    this.#hosted.clear();
    await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
  }

  async #start(name: string, nodes: readonly NodeShape[]): Promise<RunningMember> {
    const processes = this.#options.processesOf(name);
    const member = await hostMember({ name, nodes, processes }, this.#options);
    await removeOtherNodes(member.client, nodes);
    this.#hosted.set(name, { member, nodes });
    this.clients.changed(name);
    return member;
  }

  async #change(
    name: string,
    { member, nodes: before }: Hosted,
    nodes: readonly NodeShape[],
  ): Promise<RunningMember> {
    if (sameJson(before, nodes)) return member;
    await ensureNodes(member.client, this.#options.clock, nodes);
    await removeOtherNodes(member.client, nodes);
    this.#hosted.set(name, { member, nodes });
    return member;
  }
}
