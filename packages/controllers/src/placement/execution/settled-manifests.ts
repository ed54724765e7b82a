import type { Settled } from '@perigee/scheduling/placement/work/member-object';

/**
 * The results of applied manifests, by Work. They save no-op writes; when they are lost, such a write restores them.
 */
export class SettledManifests {
  readonly #byWork = new Map<string, Map<string, Settled>>();

  get(work: string, manifest: string): Settled | undefined {
    return this.#byWork.get(work)?.get(manifest);
  }

  set(work: string, manifest: string, result: Settled): void {
    const ofWork = this.#byWork.get(work) ?? new Map<string, Settled>();
    this.#byWork.set(work, ofWork.set(manifest, result));
  }

  forget(work: string): void {
    this.#byWork.delete(work);
  }
}
