const WORDS =
  'account address backend balance broker bucket cache channel client cluster credit customer default delay endpoint engine export feature gateway handler header image index journal kernel layer limit machine memory metric module network object option orders packet payment policy queue region replica report request retry router sample schema search server session shard signal source stock stream table target thread token tracing update vendor volume worker zone'.split(
    ' ',
  );

const SETTINGS = 16;
const WORDS_OF_SETTING = 5;

/** Words that differ from object to object and from setting to setting, and stay the same in every run. */
const settingOf = (name: string, at: number): string => {
  let state = [...`${name}/${at}`].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
  return Array.from({ length: WORDS_OF_SETTING }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return WORDS[(state >>> 16) % WORDS.length];
  }).join(' ');
};

const settingsByName = new Map<string, { readonly [setting: string]: string }>();

const settingsOf = (name: string): { readonly [setting: string]: string } => {
  const settings =
    settingsByName.get(name) ??
    Object.fromEntries(
      Array.from({ length: SETTINGS }, (_, at) => [`setting-${at}`, settingOf(name, at)]),
    );
  settingsByName.set(name, settings);
  return settings;
};

/** A ConfigMap of some 1 kB; the version makes one write of it differ from the next. */
export const configMapOf = (namespace: string, name: string, version: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'web', tier: 'front' } },
  data: { ...settingsOf(name), version: String(version) },
});
