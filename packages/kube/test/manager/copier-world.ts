import type { Manager } from '@perigee/kube/manager/manager';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { SimulatedProcess } from '../leader-election/simulated-process.ts';
import { COPIED_FROM, COPY_TO, configMapCopier, targetsOf } from './config-map-copier.ts';
import { LEASE, setUpManager } from './manager-fixture.ts';

export const TARGETS = ['red', 'green'];

export type Step =
  | { readonly do: 'write'; readonly name: string; readonly value: number; readonly to: string[] }
  | { readonly do: 'delete'; readonly name: string }
  | { readonly do: 'namespace'; readonly name: string; readonly exists: boolean }
  | { readonly do: 'tamper' | 'remove'; readonly name: string; readonly target: string }
  | { readonly do: 'stop' | 'crash' | 'pause' }
  | { readonly do: 'wait'; readonly ms: number };

const ignore = () => {};

/** A cluster where a copier works, people change things, and processes and requests fail. */
export const copierWorld = (seed: number) => {
  const { clock, cluster, admin, manage, log } = setUpManager(seed);
  const history: string[] = [];
  const commit = cluster.commit.bind(cluster);
  cluster.commit = (kind, key, object) => {
    history.push(`${clock.now()} ${kind.plural} ${key} ${JSON.stringify(object ?? 'deleted')}`);
    return commit(kind, key, object);
  };
  let faulty = true;
  let launched = 0;
  const launch = (): { process: SimulatedProcess; manager: Manager } => {
    const process = new SimulatedProcess({
      cluster,
      clock,
      latencyMs: () => clock.random() * 50,
      isLost: () => faulty && clock.random() < 0.1,
    });
    const options = { controllers: [configMapCopier], leaderElection: { lease: LEASE } };
    const manager = manage({ ...options, identity: `copier-${launched++}` }, process);
    manager.start().catch(ignore);
    return { process, manager };
  };
  let running = launch();

  const perform = async (step: Step): Promise<void> => {
    switch (step.do) {
      case 'write': {
        const metadata = { namespace: 'home', name: step.name };
        const annotations = { [COPY_TO]: step.to.join() };
        const object = { metadata: { ...metadata, annotations }, data: { value: `${step.value}` } };
        await admin.create(ConfigMap, object).catch(() => admin.update(ConfigMap, object));
        return;
      }
      case 'delete':
        await admin.delete(ConfigMap, { namespace: 'home', name: step.name }).catch(ignore);
        return;
      case 'namespace':
        if (step.exists)
          await admin.create(Namespace, { metadata: { name: step.name } }).catch(ignore);
        else await admin.delete(Namespace, step).catch(ignore);
        return;
      case 'remove':
        await admin.delete(ConfigMap, { ...step, namespace: step.target }).catch(ignore);
        return;
      case 'tamper': {
        const body = { data: { value: 'tampered' } };
        const copy = { name: step.name, namespace: step.target };
        await admin.patch(ConfigMap, copy, { type: 'merge', body }).catch(ignore);
        return;
      }
      case 'wait':
        await clock.advance(step.ms);
        return;
      case 'pause':
        running.process.pause();
        await clock.advance(20_000);
        running.process.resume();
        return;
      case 'crash':
        running.process.crash();
        running = launch();
        return;
      case 'stop':
        void running.manager.stop();
        running = launch();
    }
  };

  /** Every copy, as `namespace/name=value`, that should exist and that does. */
  const copies = async () => {
    const all = (await admin.list(ConfigMap)).items;
    const namespaces = (await admin.list(Namespace)).items.map(({ metadata }) => metadata.name);
    const line = (namespace: string | undefined, { metadata, data }: ConfigMap) =>
      `${namespace}/${metadata.name}=${data?.value}`;
    const wanted = all.flatMap((source) =>
      targetsOf(source)
        .filter((target) => namespaces.includes(target))
        .map((target) => line(target, source)),
    );
    const found = all
      .filter(({ metadata }) => metadata.labels?.[COPIED_FROM] !== undefined)
      .map((copy) => line(copy.metadata.namespace, copy));
    return { wanted: wanted.sort(), found: found.sort() };
  };

  /** Lets everything come to its end without further faults. */
  const settle = async (): Promise<void> => {
    faulty = false;
    await clock.advance(120_000);
  };
  const configMaps = () => JSON.stringify(cluster.objects(ConfigMap));
  return { clock, perform, copies, settle, configMaps, history, log };
};
