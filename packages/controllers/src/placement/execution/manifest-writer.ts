import type { Work } from '@perigee/api/kinds/placement/work';
import { isSameResource } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { isAlreadyExists, isConflict, isNotFound } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { markedManifests } from '@perigee/scheduling/placement/work/desired-work';
import {
  isMadeOnce,
  isOf,
  isSettled,
  mayReplace,
  type SettledManifest,
  withRetention,
  workOf,
} from '@perigee/scheduling/placement/work/member-object';
import { foreignManifest, resourceOf } from '@perigee/scheduling/placement/work/work-identity';
import { CONFLICT_RESOLUTION } from '@perigee/scheduling/placement/work/work-names';
import type { JsonObject } from '@perigee/schema/json';
import { PropagationError } from '../../errors.ts';
import type { MemberKind, MemberObject, MemberView } from '../../members/member-view.ts';

/** A Work that is being delivered to its member. */
export interface Delivery {
  readonly work: Work;
  readonly cluster: string;
  readonly view: MemberView;
  /** The cached Works. */
  readonly works: (ref: ObjectRef) => Work | undefined;
  readonly signal: AbortSignal;
}

export type Manifest = JsonObject &
  Pick<MemberObject, 'apiVersion' | 'kind'> & {
    readonly metadata: { readonly namespace?: string; readonly name: string };
  };

const FIELD_MANAGER = 'perigee-execution';
/** Attempts after conflicts with other writers of the same object; then the Work is requeued. */
const MOST_TRIES = 4;

export const manifestsOf = (work: Work): readonly Manifest[] =>
  markedManifests(work) as readonly Manifest[];

export const memberRefOf = ({ scope }: MemberKind, { metadata }: Manifest): ObjectRef =>
  scope === 'Cluster' || metadata.namespace === undefined
    ? { name: metadata.name }
    : { namespace: metadata.namespace, name: metadata.name };

/** The name of a manifest in messages. */
const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${objectKey(metadata)}`;

const keyOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  `${apiVersion} ${kind} ${objectKey(metadata)}`;

/** Another Work that applied an object and still contains it: two writers would undo each other's changes. */
const otherHolder = (
  observed: MemberObject,
  { metadata }: Work,
  works: Delivery['works'],
): Work | undefined => {
  const ref = workOf(observed);
  if (ref === undefined || !isOf(observed, ref)) return undefined;
  if (ref.namespace !== metadata.namespace || ref.name === metadata.name) return undefined;
  const holder = works(ref);
  const isHeld =
    holder?.metadata.deletionTimestamp === undefined &&
    holder?.spec.workload?.manifests?.some((one) =>
      isSameResource(resourceOf(one), resourceOf(observed)),
    );
  return isHeld === true ? holder : undefined;
};

/**
 * The results of applied manifests, by Work. They save no-op writes; when they are lost, such a write restores them.
 */
class SettledManifests {
  readonly #byWork = new Map<string, Map<string, SettledManifest>>();

  get(work: string, manifest: string): SettledManifest | undefined {
    return this.#byWork.get(work)?.get(manifest);
  }

  set(work: string, manifest: string, result: SettledManifest): void {
    const ofWork = this.#byWork.get(work) ?? new Map<string, SettledManifest>();
    this.#byWork.set(work, ofWork.set(manifest, result));
  }

  forget(work: string): void {
    this.#byWork.delete(work);
  }
}

/** Writes manifests to member clusters. */
export class ManifestWriter {
  readonly #interpreter: Interpreter;
  readonly #settledManifests = new SettledManifests();

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  /** True if the member is known to have the manifest already; sends no request. */
  isThere(manifest: Manifest, { work, view }: Delivery): boolean {
    const kind = view.knownKind(manifest.apiVersion, manifest.kind);
    const informer = view.watched(manifest.apiVersion, manifest.kind);
    if (kind === undefined || informer?.hasSynced !== true) return false;
    if (foreignManifest(work, manifest, kind.scope) !== undefined) return false;
    const observed = informer.get(memberRefOf(kind, manifest));
    if (observed === undefined) return false;
    return isMadeOnce(manifest) || this.#isSettled(manifest, observed, work);
  }

  /** Applies the manifest to the member; returns true if that changed it. */
  async write(manifest: Manifest, delivery: Delivery): Promise<boolean> {
    const { work, view, signal } = delivery;
    const kind = await view.kindOf(manifest.apiVersion, manifest.kind, { signal });
    const foreign = foreignManifest(work, manifest, kind.scope);
    if (foreign !== undefined) {
      throw new PropagationError(
        `${titleOf(manifest)} is not what its binding is about: ${foreign}`,
      );
    }
    const informer = view.watch(kind, objectKey(work.metadata));
    const ref = memberRefOf(kind, manifest);
    let observed = informer.hasSynced ? informer.get(ref) : await this.#read(kind, ref, delivery);
    for (let tries = 1; ; tries += 1) {
      try {
        return observed === undefined
          ? await this.#create(kind, manifest, delivery)
          : await this.#update(kind, manifest, observed, delivery);
      } catch (error) {
        const isStale =
          isConflict(error) ||
          (observed === undefined ? isAlreadyExists(error) : isNotFound(error));
        if (!isStale || tries === MOST_TRIES) throw error;
        observed = await this.#read(kind, ref, delivery);
      }
    }
  }

  forget(work: ObjectRef): void {
    this.#settledManifests.forget(objectKey(work));
  }

  async #read(
    kind: MemberKind,
    ref: ObjectRef,
    { view, signal }: Delivery,
  ): Promise<MemberObject | undefined> {
    return getOrUndefined(view.client, kind, ref, { signal });
  }

  async #create(
    kind: MemberKind,
    manifest: Manifest,
    { work, view, signal }: Delivery,
  ): Promise<boolean> {
    const options = { fieldManager: FIELD_MANAGER, signal };
    const storedObject = await view.client.create(
      kind,
      manifest as unknown as MemberObject,
      options,
    );
    this.#settledManifests.set(objectKey(work.metadata), keyOf(manifest), {
      manifest,
      storedObject,
    });
    return true;
  }

  async #update(
    kind: MemberKind,
    manifest: Manifest,
    observed: MemberObject,
    { work, cluster, view, works, signal }: Delivery,
  ): Promise<boolean> {
    if (isMadeOnce(manifest)) return false;
    const holder = otherHolder(observed, work, works);
    if (holder !== undefined) {
      throw new PropagationError(
        `${titleOf(manifest)} was brought to cluster ${cluster} by the Work ${objectKey(holder.metadata)}, ` +
          'and stays as that one says: delete that Work first',
      );
    }
    if (!mayReplace(manifest, observed)) {
      throw new PropagationError(
        `${titleOf(manifest)} exists in cluster ${cluster} and is not managed from here: delete it there, ` +
          `or set the annotation ${CONFLICT_RESOLUTION}=overwrite on the template to take it over`,
      );
    }
    if (this.#isSettled(manifest, observed, work)) return false;
    const next = this.#nextOf(manifest, observed) as MemberObject;
    const storedObject = await view.client.update(kind, next, {
      fieldManager: FIELD_MANAGER,
      signal,
    });
    this.#settledManifests.set(objectKey(work.metadata), keyOf(manifest), {
      manifest,
      storedObject,
    });
    return storedObject.metadata.resourceVersion !== observed.metadata.resourceVersion;
  }

  #nextOf(manifest: Manifest, observed: MemberObject): JsonObject {
    const kindInterpreter = this.#interpreter.of(manifest.apiVersion, manifest.kind);
    return withRetention(manifest, observed, kindInterpreter);
  }

  #isSettled(manifest: Manifest, observed: MemberObject, work: Work): boolean {
    const [workKey, key] = [objectKey(work.metadata), keyOf(manifest)];
    const last = this.#settledManifests.get(workKey, key);
    const next = this.#nextOf(manifest, observed);
    if (!isSettled(next, observed, manifest, last)) return false;
    // The informer's object, so that no second copy is kept.
    this.#settledManifests.set(workKey, key, { manifest, storedObject: observed });
    return true;
  }
}
