/**
 * `createBash` reads the user's settings. Tests must not depend on those of the developer: they start without settings file and
 * without `NACRE_*` variables, except those that control the tests.
 */
process.env.XDG_CONFIG_HOME = '/nonexistent';
for (const name of Object.keys(process.env))
  if (/^(?:NACRE_(?!TEST|FIDELITY)|PI_BASH_NO_CI)/.test(name)) delete process.env[name];
