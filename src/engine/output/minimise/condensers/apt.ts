import type { Condenser } from '../condenser.ts';

export const apt: Condenser = {
  name: 'apt',
  commands: ['apt', 'apt-get', 'aptitude', 'dpkg'],
  names: true,
  rules: [
    {
      what: 'downloads',
      pattern:
        /^(?:Get|Hit|Ign):\d+ |^Fetched |^Reading package lists|^Building dependency tree|^Reading state/,
      sure: true,
    },
    {
      what: 'steps',
      pattern:
        /^(?:Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|Inst |Conf |Remv |Replacing files|update-alternatives: using|Created symlink|Extracting templates|Preconfiguring|Moving old data)|^\(Reading database/,
    },
    {
      what: 'lines of package names',
      pattern: /^ {2}[a-z0-9][\w.+:~-]*(?: [a-z0-9][\w.+:~-]*)*$/,
      sure: true,
    },
    { what: 'certificates', pattern: /^(?:Adding|Updating|Generating) .*(?:\.pem|\.crt|locale|\.\.\. done)/ },
  ],
  keep: /^[EW]: |^dpkg: /,
};
