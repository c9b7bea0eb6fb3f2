/** How the command line of a bash that was started ahead ends; `ready.sh` has the same. */
export const WAITING_ARGUMENTS = '-O expand_aliases -c __X bash';
