import type { Condenser } from '../condenser.ts';

export const pip: Condenser = {
  name: 'pip',
  commands: [
    'pip install',
    'pip3 install',
    'pip download',
    'pip wheel',
    'uv pip',
    'uv sync',
    'poetry install',
    'pipenv install',
  ],
  names: true,
  rules: [
    {
      what: 'places that had nothing',
      pattern: /^Could not fetch URL .* - skipping$|^WARNING: Location '.*' is ignored/,
      sure: true,
    },
    {
      what: 'steps',
      pattern:
        /^\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied|Obtaining|Preparing|Getting|Installing (?:build|backend|collected)|Building wheel|Created|Stored in|Attempting uninstall|Found existing|Uninstalling|Successfully uninstalled|Looking (?:in|up)|Added|Link requires|Fetching|Skipping (?:link|unacceptable)|Found (?:link|index)|Given no hashes|Will consider|Entered build|Initialized build|Removed|Cleaning up|Resolving|Starting new|Request header|Response header|\d+ location\(s\) to search|\* https?:|https?:\/\/|Fetched page|Source in|Using (?:pip|selector|PEP)|Non-user install|User install|Hashed|Updating cache|Adding transitive|New pins|changing mode|Running command|Reporter|Incremented Retry|file: URL)\b/,
    },
    { what: 'steps', pattern: /^\s*\* (?:https?|file):|^\s*Processing \S+\.(?:whl|tar\.gz|zip)$/ },
    {
      what: 'files',
      pattern:
        /^\s*(?:copying|creating|writing|adding|running|reading|byte-compiling|removing|hard linking|moving) \S/,
    },
    { what: 'progress bars', pattern: /^\s*[━╸╺ ]{10,}.*(?:MB|kB|eta)/, sure: true },
  ],
  keep: /^Successfully installed|^\s*(?:WARNING: (?!Location)|ERROR|error|note|hint)\b/,
};
