import type { JsonObject } from '@perigee/schema/json';

export interface Build {
  /** The version of Kubernetes whose API this is, such as `v1.36.3`; clients compare it with their own. */
  readonly kubernetesVersion: string;
  readonly gitCommit?: string;
  /** RFC 3339. */
  readonly buildDate?: string;
  readonly platform: string;
}

/** `/version` */
export const versionDocument = (build: Build): JsonObject => {
  const { kubernetesVersion, gitCommit = '', buildDate = '1970-01-01T00:00:00Z', platform } = build;
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)\./.exec(kubernetesVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Math.max(0, Number(minor) - 1)),
    gitVersion: kubernetesVersion,
    gitCommit,
    gitTreeState: '',
    buildDate,
    goVersion: '',
    compiler: '',
    platform,
  };
};
