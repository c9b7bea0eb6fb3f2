import type { Condenser } from './condenser.ts';

export const vitest: Condenser = {
  name: 'vitest',
  commands: ['vitest', 'playwright', 'bun test', 'deno test', 'ava', 'wtr', 'cypress'],
  rules: [
    {
      what: 'passed tests',
      pattern: /^\s*(?:✓|√|✔|\(pass\)) |^\S.* \.\.\. ok \(\d|^\s*✓$/,
      unconditional: true,
    },
    { what: 'skipped tests', pattern: /^\s*(?:↓|-|\(skip\)|\(todo\)) \S/, unconditional: true },
  ],
};

export const jest: Condenser = {
  name: 'jest',
  commands: ['jest', 'react-scripts test', 'jasmine', 'karma'],
  headings: /^(?: {2,})[^\s✓✕○√●✔✖(][^:]*$/,
  rules: [
    { what: 'passed test files', pattern: /^PASS /, unconditional: true },
    { what: 'passed tests', pattern: /^\s+(?:✓|√|✔) /, unconditional: true },
    { what: 'skipped tests', pattern: /^\s+(?:○|✎) /, unconditional: true },
    { what: 'progress lines', pattern: /^RUNS {2}|^\s+[.]{20,}$/, unconditional: true },
  ],
};

export const mocha: Condenser = {
  name: 'mocha',
  commands: ['mocha', '_mocha', 'nyc', 'c8'],
  headings: /^ {2,}[^\s✓√✔\d-][^:]*$/,
  rules: [
    { what: 'passed tests', pattern: /^\s+(?:✓|√|✔) /, unconditional: true },
    { what: 'pending tests', pattern: /^\s+- \S/ },
  ],
};

/** The spec reporter of node, and TAP, which it and many others write. */
export const nodeTest: Condenser = {
  name: 'node test',
  commands: ['node --test', 'node', 'tsx', 'tape', 'tap', 'bats'],
  headings: /^\s*(?:▶ |# Subtest: )/,
  rules: [
    { what: 'passed tests', pattern: /^\s*(?:✔ |ok \d+(?: |$))/, unconditional: true },
    { what: 'skipped tests', pattern: /^\s*﹣ /, unconditional: true },
    {
      what: 'lines about passed tests',
      pattern: /^\s+(?:---|\.\.\.|duration_ms: .*|type: '(?:suite|test)')$|^\s+\d+\.\.\d+$/,
      unconditional: true,
    },
  ],
};

export const pytest: Condenser = {
  name: 'pytest',
  commands: ['pytest', 'py.test', 'tox', 'nox'],
  rules: [
    {
      what: 'passed tests',
      pattern:
        /^\S+::.+ (?:PASSED|XPASS|SKIPPED|XFAIL)\b|^\[gw\d+\] \[ *\d+%\] PASSED|^\S+\.py [.sx]+ *\[ *\d+%\]$|^[.sx]+ *\[ *\d+%\]$/,
      unconditional: true,
    },
  ],
};

export const unittest: Condenser = {
  name: 'unittest',
  commands: ['unittest', 'nosetests', 'nose2'],
  rules: [
    {
      what: 'passed tests',
      pattern: /^\S.* \.\.\. (?:ok|skipped .*)$|^\w+ \([\w.]+\)$/,
      unconditional: true,
    },
  ],
};

export const cargo: Condenser = {
  name: 'cargo',
  commands: ['cargo', 'cross'],
  rules: [
    {
      what: 'passed tests',
      pattern: /^test .+ \.\.\. ok(?: <[\d.]+s>)?$|^\s+PASS \[ *[\d.]+s\] /,
      unconditional: true,
    },
    { what: 'ignored tests', pattern: /^test .+ \.\.\. ignored/, unconditional: true },
    {
      what: 'crates',
      pattern:
        /^\s+(?:Compiling|Downloaded|Downloading|Fresh|Checking|Locking|Adding|Updating|Documenting|Dirty|Removing|Installing|Unpacking|Building) \S/,
      unconditional: true,
    },
  ],
};

export const go: Condenser = {
  name: 'go',
  commands: ['go', 'gotestsum'],
  blocks: [
    {
      what: 'lines of passed tests',
      begins: /^=== RUN /,
      endsInSuccess: /^--- (?:PASS|SKIP): /,
      endsInFailure: /^\s*--- FAIL: |^panic: |^FAIL\b|^fatal error: /,
    },
  ],
  rules: [
    {
      what: 'lines about the course of tests',
      pattern: /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME) |--- (?:PASS|SKIP): )/,
      unconditional: true,
    },
    {
      what: 'packages without tests',
      pattern: /^\? {3}\t.*\[no test files\]$|^✓ {2}\S+ \(/,
      unconditional: true,
    },
    {
      what: 'downloads',
      pattern: /^go: (?:downloading|finding|extracting|added|upgraded) /,
      unconditional: true,
    },
  ],
};

export const prove: Condenser = {
  name: 'prove',
  commands: ['prove', 'perl'],
  rules: [
    { what: 'passed tests', pattern: /^\s*ok \d+(?: |$)/, unconditional: true },
    { what: 'passed files', pattern: /^\S+\.t \.{2,} ?(?:ok.*)?$|^ok$/, unconditional: true },
    { what: 'plans', pattern: /^\s*1\.\.\d+$/, unconditional: true },
  ],
};

export const ctest: Condenser = {
  name: 'ctest',
  commands: ['ctest'],
  rules: [
    { what: 'passed tests', pattern: /^\s*\d+\/\d+ Test +#\d+: .* Passed /, unconditional: true },
    { what: 'starts', pattern: /^\s+Start +\d+: /, unconditional: true },
  ],
};

export const dotnet: Condenser = {
  name: 'dotnet',
  commands: ['dotnet', 'phpunit', 'rspec', 'swift', 'xcodebuild'],
  rules: [
    {
      what: 'passed tests',
      pattern: /^\s+(?:Passed|Skipped) \S.* \[[<\d]|^ ✔ |^Test Case .* passed \(/,
      unconditional: true,
    },
    { what: 'restored packages', pattern: /^\s+Restored |^\s+Determining projects/, unconditional: true },
  ],
};

export const npm: Condenser = {
  name: 'npm',
  commands: [
    'npm install',
    'npm i',
    'npm ci',
    'npm add',
    'npm update',
    'npm audit',
    'npm exec',
    'npx',
    'bun install',
    'bun add',
  ],
  names: true,
  rules: [
    {
      what: 'requests',
      pattern: /^npm http (?:fetch (?:GET|POST|HEAD) (?:200|304)|cache) /,
      unconditional: true,
    },
    {
      what: 'log lines',
      pattern: /^npm (?:sill|silly|verb|verbose|info|timing|notice) /,
      unconditional: true,
    },
  ],
  keep: /^npm (?:warn|WARN|error|ERR!)/,
};

export const pnpm: Condenser = {
  name: 'pnpm',
  commands: ['pnpm install', 'pnpm i', 'pnpm add', 'pnpm update', 'pnpm fetch'],
  rules: [
    {
      what: 'progress lines',
      pattern: /^(?:\S+ +\| )?(?:Progress: resolved|Already up to date|Downloading \S+: )/,
      unconditional: true,
    },
  ],
};

export const yarn: Condenser = {
  name: 'yarn',
  commands: ['yarn', 'yarn install', 'yarn add', 'yarn upgrade'],
  rules: [
    { what: 'log lines', pattern: /^verbose \d/, unconditional: true },
    { what: 'steps', pattern: /^\[\d\/\d\] |^info (?:Direct|All) dependencies/ },
    { what: 'packages', pattern: /^[├└]─ \S+@/ },
    { what: 'fetched packages', pattern: /^➤ YN00(?:13|19|85): /, unconditional: true },
  ],
};

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
      unconditional: true,
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
    { what: 'progress bars', pattern: /^\s*[━╸╺ ]{10,}.*(?:MB|kB|eta)/, unconditional: true },
  ],
  keep: /^Successfully installed|^\s*(?:WARNING: (?!Location)|ERROR|error|note|hint)\b/,
};

export const apt: Condenser = {
  name: 'apt',
  commands: ['apt', 'apt-get', 'aptitude', 'dpkg'],
  names: true,
  rules: [
    {
      what: 'downloads',
      pattern:
        /^(?:Get|Hit|Ign):\d+ |^Fetched |^Reading package lists|^Building dependency tree|^Reading state/,
      unconditional: true,
    },
    {
      what: 'steps',
      pattern:
        /^(?:Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|Inst |Conf |Remv |Replacing files|update-alternatives: using|Created symlink|Extracting templates|Preconfiguring|Moving old data)|^\(Reading database/,
    },
    {
      what: 'lines of package names',
      pattern: /^ {2}[a-z0-9][\w.+:~-]*(?: [a-z0-9][\w.+:~-]*)*$/,
      unconditional: true,
    },
    { what: 'certificates', pattern: /^(?:Adding|Updating|Generating) .*(?:\.pem|\.crt|locale|\.\.\. done)/ },
  ],
  keep: /^[EW]: |^dpkg: /,
};

export const bundler: Condenser = {
  name: 'bundler',
  commands: ['bundle', 'gem', 'composer'],
  rules: [
    {
      what: 'packages',
      pattern:
        /^(?:Using|Fetching|Installing|Downloading) \S+ [\d(]|^ {2}- (?:Installing|Downloading|Locking|Upgrading|Updating|Syncing) /,
      unconditional: true,
    },
    { what: 'progress bars', pattern: /^ +\d+\/\d+ \[[=>-]+\]/, unconditional: true },
  ],
};

export const maven: Condenser = {
  name: 'maven',
  commands: ['mvn', 'mvnw', 'maven'],
  rules: [
    {
      what: 'downloads',
      pattern: /^(?:\[INFO\] )?(?:Downloading|Downloaded)(?: from \S+)?: |^Progress \(\d+\)/,
      unconditional: true,
    },
    { what: 'debug lines', pattern: /^\[DEBUG\]/, unconditional: true },
    {
      what: 'passed test classes',
      pattern: /^\[INFO\] (?:Running \S+$|Tests run: \d+, Failures: 0, Errors: 0, .*Time elapsed)/,
      unconditional: true,
    },
    {
      what: 'steps',
      pattern:
        /^\[INFO\] (?:Copying|Compiling|Using|Nothing to|Including|skip|Installing|Building jar|Changes detected|Skipping)\b/,
    },
    { what: 'blank lines', pattern: /^\[INFO\]\s*(?:-{10,})?$/, unconditional: true },
  ],
  keep: /^\[(?:ERROR|WARNING)\]/,
};

export const gradle: Condenser = {
  name: 'gradle',
  commands: ['gradle', 'gradlew'],
  rules: [
    {
      what: 'tasks',
      pattern: /^(?:> Task )?:[\w:-]+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$/,
      unconditional: true,
    },
    { what: 'passed tests', pattern: /^\S.* > .* (?:PASSED|SKIPPED)$/, unconditional: true },
    { what: 'downloads', pattern: /^Download(?:ing)? (?:https?:|from )/, unconditional: true },
    { what: 'progress lines', pattern: /^<[=-]*> \d+% |^> (?:Configure|IDLE|Resolve)/, unconditional: true },
  ],
};

/** make, cmake, ninja and meson: what they run, not what comes of it. */
export const make: Condenser = {
  name: 'make',
  commands: ['make', 'gmake', 'cmake', 'ninja', 'meson', 'autoreconf', 'configure', 'scons', 'bazel'],
  rules: [
    {
      what: 'compiler commands',
      pattern:
        /^\s*(?:cd \S+ && )?(?:libtool: (?:compile|link): +)?(?:\/\S+\/)?(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ar|ranlib|ld|as|strip|install|rustc|javac)(?:-[\d.]+)? (?:-|\S+\.(?:c|cc|cpp|o|a)\b|qc |.* -[co] )/,
      unconditional: true,
    },
    {
      what: 'steps',
      pattern:
        /^\[ *\d+%\] (?!Built target)|^\[\d+\/\d+\] |^make(?:\[\d+\])?: (?:Entering|Leaving|Nothing)|^\S*cmake -[EHS]|^\S*make(?: -\S+)* (?:-f|-C) |^Consolidate compiler|^Scanning dependencies|^ {2}(?:CC|CXX|LD|AR|GEN|LINK|CCLD|CXXLD|INSTALL) /,
    },
    {
      what: 'checks',
      pattern:
        /^-- (?:Looking|Performing|Check|Detecting|Found|The \w+ compiler|Could NOT find \S+ \(missing.*optional)|^checking .*\.\.\. |^config\.status: creating/,
    },
  ],
  keep: /^FAILED: |error|warning|\*\*\*/i,
};

/** Bundlers: which modules they put where. */
export const webpack: Condenser = {
  name: 'webpack',
  commands: ['webpack', 'vite', 'rollup', 'next', 'parcel', 'ng', 'esbuild', 'tsup'],
  rules: [
    {
      what: 'modules',
      pattern:
        /^\s*(?:modules by path|(?:\.\/|\.\.\/|\|? *\.?\/)?\S+ [\d.]+ (?:bytes|KiB|MiB)\b|\| +\S|\+ \d+ modules|cacheable modules|orphan modules|runtime modules|<[a-z]+> )/,
    },
    {
      what: 'details of modules',
      pattern:
        /^\s+(?:\[(?:exports|used exports|no exports|module|built|cached|code generated)|(?:harmony|cjs|esm|entry|import)\b.*\[|ModuleConcatenation|factory:|building:|\d+ ms)/,
    },
    {
      what: 'assets',
      pattern: /^(?:dist|build|out)\/\S+ +[\d.]+ [kM]?B|^asset \S+\.map /,
      unconditional: true,
    },
    {
      what: 'debug lines',
      pattern: /^\s*\S+Z? vite:\S+ |^transforming|^rendering chunks|^computing gzip|^vite v/,
      unconditional: true,
    },
  ],
};

export const docker: Condenser = {
  name: 'docker',
  commands: ['docker', 'docker-compose', 'podman', 'buildah'],
  rules: [
    {
      what: 'layers',
      pattern:
        /^(?:\S+ )?[\da-f]{12}:? (?:Pulling fs layer|Waiting|Verifying Checksum|Download complete|Pull complete|Already exists|Downloading|Extracting|Preparing|Pushed|Pushing|Layer already exists|Mounted)/,
      unconditional: true,
    },
    {
      what: 'steps',
      pattern:
        /^#\d+ (?:sha256:|extracting|resolve|transferring|exporting|writing image|naming to|CACHED|DONE|\.\.\.|\[internal\]|preparing|unpacking)|^ ---> |^Removing intermediate/,
      unconditional: true,
    },
  ],
};

/** What did not change goes first: every file and every changed line is somebody's question. */
export const gitDiff: Condenser = {
  name: 'git diff',
  commands: ['git diff', 'git show'],
  ownOutputOnly: true,
  rules: [
    { what: 'unchanged lines', pattern: /^ .*$|^$/, unconditional: true },
    {
      what: 'object ids',
      pattern: /^index [\da-f]+\.\.[\da-f]+|^--- (?:a\/|\/dev\/null)|^\+\+\+ b\//,
      unconditional: true,
    },
  ],
};

export const git: Condenser = {
  name: 'git',
  commands: [
    'git clone',
    'git fetch',
    'git pull',
    'git push',
    'git status',
    'git merge',
    'git checkout',
    'git gc',
    'git submodule',
    'git lfs',
    'git diff --stat',
  ],
  ownOutputOnly: true,
  rules: [
    {
      what: 'progress lines',
      pattern:
        /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Updating|Unpacking|Writing|Filtering|Checking)[\w ]*: +\d/,
      unconditional: true,
    },
    { what: 'merged files', pattern: /^Auto-merging /, unconditional: true },
    { what: 'files created or deleted', pattern: /^ (?:create|delete) mode \d+ / },
  ],
  groupings: [
    { what: 'changed files', pattern: /^ (\S*?)[^/\s]* +\| +(?:\d+ [+-]*|Bin .*)$/, keep: 3 },
    {
      what: 'files in this state',
      pattern: /^\t(?:(?:modified|deleted|renamed|new file): +)?(\S*\/)?[^/]*$/,
      keep: 8,
    },
    { what: 'branches and tags', pattern: /^ [*+] \[new (branch|tag)\]/, keep: 3 },
  ],
};

/** Directory listings: of each directory the first entries, and how many there are. */
export const listing: Condenser = {
  name: 'listing',
  commands: ['ls', 'find', 'fd', 'tree', 'du', 'rg --files', 'git ls-files', 'tar', 'unzip'],
  ownOutputOnly: true,
  groupings: [
    { what: 'entries', pattern: /^([-dlcbps])[-rwxsStT]{9}/, keep: 8 },
    { what: 'entries', pattern: /^((?:\d\S*\t)?\S*\/)[^/]*$/, keep: 6 },
    { what: 'entries', pattern: /^((?:[│|] {3}| {4})*[├└|`]── )/, keep: 12 },
  ],
};

/** Every condenser there is, the more particular ones first. */
export const BUILT_IN_CONDENSERS: readonly Condenser[] = [
  ...[vitest, jest, mocha, nodeTest, pytest, unittest, cargo, go, prove, ctest, dotnet],
  ...[npm, pnpm, yarn, pip, apt, bundler, maven, gradle, make, webpack, docker],
  ...[gitDiff, git, listing],
];
