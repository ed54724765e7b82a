import type { Settled } from '@perigee/scheduling/placement/work/member-object';

/**
 * What clusters made of the manifests that they were given, by Work. It saves writes that would change
 * nothing; when it is lost, such a write finds out anew.
 */
export class SettledManifests {
  readonly #byWork = new Map<string, Map<string, Settled>>();

  get(work: string, manifest: string): Settled | undefined {
    return this.#byWork.get(work)?.get(manifest);
  }

  set(work: string, manifest: string, settled: Settled): void {
    const ofWork = this.#byWork.get(work) ?? new Map<string, Settled>();
    this.#byWork.set(work, ofWork.set(manifest, settled));
  }

  forget(work: string): void {
    this.#byWork.delete(work);
  }
}
