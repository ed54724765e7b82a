import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { podGroupsRbac } from './pod-group-files.ts';
import { roleFiles } from './role-files.ts';

/** Writes deploy/rbac from the roles in packages/apiserver. */
const folder = new URL('../deploy/rbac', import.meta.url).pathname;
const files = roleFiles();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
for (const [name, text] of files) writeFileSync(join(folder, name), text);
console.log(`${files.size} roles in deploy/rbac`);

const groups = new URL('../deploy/pod-groups', import.meta.url).pathname;
mkdirSync(groups, { recursive: true });
writeFileSync(join(groups, 'rbac.yaml'), podGroupsRbac());
console.log('the roles of PodGroups in deploy/pod-groups');
