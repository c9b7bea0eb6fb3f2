# Replaces nacre_remote_open of remote-client.sh for a Slurm cluster. A foreground command is a job of srun, a background
# command a job of sbatch; later connections are steps of the same job, on the same node. When the job is over, its files
# are read on this machine, because home directories are shared with the nodes.
#
# Settings: nacre_slurm has the user's arguments for srun and sbatch. For a job array nacre_array is its key,
# nacre_array_task the task of this run, and nacre_array_spec the list of tasks if this run submits the array.

nacre_slurm_name=nacre-${nacre_array:-$nacre_id}

nacre_slurm_look() { # sets nacre_job, nacre_job_state and nacre_job_name, empty if the job is over; fails if squeue fails
  local list job state name task
  nacre_job= nacre_job_state= nacre_job_name=
  list=$(squeue --array --noheader --user="$UID" --name="$nacre_slurm_name" --format='%A %T %i %K') || return
  while read -r job state name task; do
    [[ -z ${nacre_array-} || $task == "$nacre_array_task" ]] || continue
    nacre_job=$job nacre_job_state=$state nacre_job_name=$name
  done <<<"$list"
}

nacre_remote_open() { # connects for task $1; stdin is the script for the remote bash
  case $1 in
    start)
      # The place is determined on this machine: home directories are shared.
      if [[ -z $nacre_remote_place ]]; then "${nacre_client[@]}"
      elif [[ -n ${nacre_array-} && -z $nacre_array_spec ]]; then cat >/dev/null; printf 'nacre started 0\n' >&2
      elif [[ $nacre_watch == nobody ]]; then nacre_slurm_submit
      else nacre_slurm_start
      fi
      ;;
    kill)
      nacre_slurm_cancel
      ;;
    *) nacre_slurm_join "$1" ;;
  esac
}

nacre_slurm_cancel() { # cancels the job, or this task of an array
  if [[ -z ${nacre_array-} ]]; then
    scancel --quiet --user="$UID" --name="$nacre_slurm_name"
  else
    nacre_slurm_look && { [[ -z $nacre_job ]] || scancel --quiet "$nacre_job_name"; }
  fi
}

nacre_slurm_start() { # runs a foreground job; a queued job counts as started, so that it does not run on another host
  srun --ntasks=1 --unbuffered --input=0 --kill-on-bad-exit=0 --job-name="$nacre_slurm_name" "${nacre_slurm[@]}" "${nacre_client[@]}" 2> >(
    while IFS= read -r line; do
      if [[ $line == 'srun: job '*' queued and waiting for resources' ]]; then line='nacre started 0'; fi
      [[ $line == 'srun: job '*' has been allocated resources' ]] || printf '%s\n' "$line" >&2
    done
  )
}

nacre_slurm_submit() { # submits a background job, which counts as started once it is queued
  local mark=NACRE_END_$nacre_id said
  said=$({
    printf '#!/usr/bin/env bash\nexec %s <<%s\n' "${nacre_client[*]@Q}" "'$mark'"
    cat
    printf '\n%s\n' "$mark"
  } | sbatch --quiet --parsable --ntasks=1 --no-requeue --output=/dev/null --job-name="$nacre_slurm_name" ${nacre_array_spec:+"--array=$nacre_array_spec"} "${nacre_slurm[@]}" 2>&1 >/dev/null) &&
    printf 'nacre started 0\n' >&2 && return
  # An error of the controller is a refusal; without an answer the job may be queued.
  case $said in
    *[Tt]'imed out'* | *'Unable to contact'* | *'Zero Bytes'* | *[Cc]'onnection'* | *[Cc]'ommunication'* | *'nexpected message'*) ;;
    *'Batch job submission failed'* | *'sbatch: fatal:'* | *'invalid option'* | *'unrecognized option'*) printf 'nacre refused\n' >&2 ;;
  esac
  printf '%s\n' "$said" >&2
  return 1
}

nacre_slurm_join() { # connects with a step of the running job, or on this machine if the job is over
  local pause=0.5
  while nacre_slurm_look || return; [[ $nacre_job_state == PENDING || $nacre_job_state == CONFIGURING ]]; do
    case $1-${nacre_remote_words-} in
      attach-*) ;;
      # The job has not started: it is cancelled.
      'say-stop'* | signal-TERM | signal-KILL | signal-INT | signal-QUIT | signal-HUP) scancel --quiet "$nacre_job_name"; return ;;
      # Other tasks are sent again later.
      *) return 1 ;;
    esac
    sleep "$pause"
    pause=2
  done
  if [[ $nacre_job_state == RUNNING || $nacre_job_state == SUSPENDED ]]; then
    srun --jobid="$nacre_job" --overlap --nodes=1 --ntasks=1 --unbuffered --quiet --input=0 "${nacre_client[@]}"
  else
    SLURM_JOB_ID=over "${nacre_client[@]}"
  fi
}
