import { expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';

const policy = createPolicy();

/** Property names that every JavaScript object inherits: no lookup table may find an entry for them. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);

const FORMS: readonly ((name: string) => string)[] = [
  (name) => `${name} -x y`,
  (name) => `/usr/bin/${name} a`,
  (name) => `git ${name}`,
  (name) => `git -c alias.${name}=status ${name}`,
  (name) => `echo $${name} "\${${name}[@]}" \${#${name}} \${${name}^^} \${${name}:-x} \${!${name}}`,
  (name) => `${name}=1; (( ${name}++ )); export ${name}; echo $${name}`,
  (name) => `${name}() { echo a; }; ${name}; unset -f ${name}; ${name}`,
  (name) => `shopt -s expand_aliases\nalias ${name}=ls\n${name}`,
  (name) => `case x in [[:${name}:]]) ls ;; esac; echo \${x##[[:${name}:]]} [[:${name}:]]*`,
  (name) => `declare -A m; m[${name}]=1; echo \${m[${name}]}; read ${name}; printf -v ${name} x`,
  (name) => `sudo ${name}; env ${name}; xargs ${name}; npx ${name}; npm run ${name}; docker ${name}`,
  (name) => `set -o ${name}; shopt -s ${name}; trap ls ${name}; kill -${name} 1; builtin ${name}`,
  (name) => `${name} -c 'ls'; ssh -o ${name}=x host ls; find . -${name}; bash --${name}; sed --${name}=x`,
  (name) => `for ${name} in a b; do $${name}; done; . ${name}; cd ~${name}; echo x > ${name}`,
];

test.each(NAMES)('%s has no meaning at any position of a name', (name) => {
  for (const form of FORMS) expect(policy.judge(form(name)).verdict, form(name)).toBe('allow');
});

test.each(NAMES)('%s has the meaning that a script defines', (name) => {
  for (const command of [
    `${name}() { git add "$@"; }; ${name} -A`,
    `${name}=-A; git add $${name}`,
    `git -c alias.${name}='add -A' ${name}`,
    `shopt -s expand_aliases\nalias ${name}='git add'\n${name} -A`,
  ])
    expect(policy.judge(command).verdict, command).toBe('deny');
});
