import type { Condenser } from '../condenser.ts';

/** make, cmake, ninja and meson: what they run, not what comes of it. */
export const make: Condenser = {
  name: 'make',
  commands: ['make', 'gmake', 'cmake', 'ninja', 'meson', 'autoreconf', 'configure', 'scons', 'bazel'],
  rules: [
    {
      what: 'compiler commands',
      pattern:
        /^\s*(?:cd \S+ && )?(?:libtool: (?:compile|link): +)?(?:\/\S+\/)?(?:[\w.-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ar|ranlib|ld|as|strip|install|rustc|javac)(?:-[\d.]+)? (?:-|\S+\.(?:c|cc|cpp|o|a)\b|qc |.* -[co] )/,
      sure: true,
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
