/**
 * Links that a command makes where the next sandbox mounts something. `plant` runs in a first sandbox, `look` in the
 * second: it prints `hush` when it has read the victim, and leaves `planted` when it has written there. `more` is added
 * to the second sandbox's settings.
 */
const directory = (name) => `cat ${name}/secret; echo x >${name}/planted`;
const file = (name) => `cat ${name}; echo planted >>${name}`;

export const LINK_ATTACKS = [
  ...['.git', '.vscode', '.idea', '.nacre', '.husky'].map((name) => ({
    name: `${name} as a link to a directory`,
    plant: `ln -s VICTIM ${name}`,
    look: directory(name),
  })),
  ...['.envrc', '.mcp.json', '.git', '.vscode'].map((name) => ({
    name: `${name} as a link to a file`,
    plant: `ln -s VICTIM/secret ${name}`,
    look: file(name),
  })),
  {
    name: '.git as a relative link',
    plant: 'ln -s ../victim .git',
    look: directory('.git'),
  },
  {
    name: '.git/hooks as a link',
    plant: 'mkdir .git; ln -s VICTIM .git/hooks',
    look: directory('.git/hooks'),
  },
  {
    name: '.git/config as a link',
    plant: 'mkdir .git; ln -s VICTIM/secret .git/config',
    look: file('.git/config'),
  },
  {
    name: '.git as a chain of links',
    plant: 'ln -s VICTIM a; ln -s a b; ln -s b .git',
    look: directory('.git'),
  },
  { name: 'a link to our state', plant: 'ln -s STATE/runs .git', look: directory('.git') },
  {
    name: 'a link to the root',
    plant: 'ln -s / .git',
    look: 'cat .gitVICTIM/secret; echo x >.gitVICTIM/planted',
  },
  { name: 'a link that leads nowhere', plant: 'ln -s VICTIM/planted .envrc', look: 'echo x >.envrc' },
  {
    name: 'a link that leads nowhere but for bwrap',
    plant: 'ln -s /oldrootVICTIM/planted .envrc',
    look: 'echo x >.envrc',
  },
  {
    name: 'a directory on the way as a link',
    plant: 'mkdir -p in; ln -s VICTIM in/to',
    more: { writable: ['WORK/in/to'] },
    look: directory('in/to'),
  },
  {
    name: 'a readable path as a link',
    plant: 'ln -s VICTIM seen',
    more: { readable: ['WORK/seen'] },
    look: directory('seen'),
  },
];

export const LAUNCHES = 15;

/** A name that is exchanged with a link, as fast as possible, while sandboxes start. */
export const RACES = [
  { name: '.git', real: 'directory', link: 'VICTIM', look: directory('.git') },
  { name: '.envrc', real: 'file', link: '/oldrootVICTIM/planted', look: 'true' },
];
