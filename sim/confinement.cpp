#include "sim/confinement.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace tutti::inline sim {

namespace {

// Landlock, as linux/landlock.h and the kernel's userspace-api/landlock.rst have it; older headers
// lack what newer kernels can do, so its numbers stand here.
struct LandlockRules {
  std::uint64_t handled_files = 0;
  std::uint64_t handled_network = 0;  // from version 4 on
  std::uint64_t scoped = 0;           // from version 6 on
};

constexpr long kLandlockCreate = 444;  // the same on all architectures
constexpr long kLandlockRestrict = 446;
constexpr std::uint32_t kLandlockVersion = 1;

constexpr std::uint64_t kExecute = 1U << 0U;
constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kRemoveAndMake = 0x1ff0;     // nine rights, bits 4 to 12
constexpr std::uint64_t kMoveElsewhere = 1U << 13U;  // from version 2 on
constexpr std::uint64_t kTruncate = 1U << 14U;       // 3
constexpr std::uint64_t kDeviceControl = 1U << 15U;  // 5
constexpr std::uint64_t kTcp = 3;                    // bind and connect
constexpr std::uint64_t kOutside = 3;                // abstract sockets and signals

// All that is handled and has no rule is forbidden.
bool confine_by_landlock() {
  const long version = syscall(kLandlockCreate, nullptr, 0, kLandlockVersion);
  if (version < 1) {
    return false;
  }
  LandlockRules rules;
  rules.handled_files = kExecute | kWriteFile | kRemoveAndMake |
                        (version >= 2 ? kMoveElsewhere : 0) | (version >= 3 ? kTruncate : 0) |
                        (version >= 5 ? kDeviceControl : 0);
  rules.handled_network = version >= 4 ? kTcp : 0;
  rules.scoped = version >= 6 ? kOutside : 0;
  // A kernel takes zeroes behind what it knows.
  const long set = syscall(kLandlockCreate, &rules, sizeof rules, 0);
  if (set < 0) {
    return false;
  }
  const bool done = syscall(kLandlockRestrict, static_cast<int>(set), 0) == 0;
  close(static_cast<int>(set));
  return done;
}

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_PPC64LE;
#else
constexpr std::uint32_t kArchitecture = 0;  // no filter
#endif

constexpr std::uint32_t kFchmodat2 = 452;  // of Linux 6.6; the same on all architectures

// Older architectures have calls that newer ones have left out.
constexpr std::uint32_t kForbidden[] = {
#ifdef SYS_creat
    SYS_creat,
    SYS_unlink,
    SYS_rename,
    SYS_mkdir,
    SYS_rmdir,
    SYS_link,
    SYS_symlink,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_unlinkat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mknodat,
    SYS_fchmod,
    SYS_fchmodat,
    kFchmodat2,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_truncate,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_swapon,
    SYS_acct,
    SYS_open_by_handle_at,
    // The network, and programs.
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_execve,
    SYS_execveat,
    // Ways round this list.
    SYS_ptrace,
    SYS_process_vm_writev,
    SYS_io_uring_setup,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_kexec_load,
};

constexpr std::uint32_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;

std::vector<sock_filter> filter() {
  const std::uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
  const auto load = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  const auto answer = [](std::uint32_t what) {
    return sock_filter BPF_STMT(BPF_RET | BPF_K, what);
  };
  // Goes on with the next instruction where it holds, and leaves that one out where it does not.
  const auto unless = [](std::uint16_t comparison, std::uint32_t value) {
    return sock_filter BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), value, 0,
                                1);
  };
  std::vector<sock_filter> code{
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      answer(refuse),  // calls in the manner of another architecture, with other numbers
      load(offsetof(seccomp_data, nr)),
  };
#ifdef __x86_64__
  constexpr std::uint32_t kX32 = 0x40000000;
  code.insert(code.end(), {unless(BPF_JGE, kX32), answer(refuse)});
#endif
  for (const std::uint32_t call : kForbidden) {
    code.insert(code.end(), {unless(BPF_JEQ, call), answer(refuse)});
  }
  // Its flags lie where no filter can look. Whoever calls it tries openat() next.
  code.insert(code.end(), {unless(BPF_JEQ, SYS_openat2), answer(SECCOMP_RET_ERRNO | ENOSYS)});
  const auto only_to_read = [&](std::uint32_t call, std::size_t flags) {
    constexpr std::size_t kLowHalf = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;
    code.insert(code.end(),
                {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4),
                 load(offsetof(seccomp_data, args) + 8 * flags + kLowHalf),
                 unless(BPF_JSET, kWriting), answer(refuse), answer(SECCOMP_RET_ALLOW)});
  };
  only_to_read(SYS_openat, 2);
#ifdef SYS_open
  only_to_read(SYS_open, 1);
#endif
  code.push_back(answer(SECCOMP_RET_ALLOW));
  return code;
}

bool confine_by_seccomp() {
  if (kArchitecture == 0) {
    return false;
  }
  std::vector<sock_filter> code = filter();
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  // Without the flag, older kernels slow the process down against attacks that need a filter to
  // guard secrets within it. There are none.
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) ==
             0 ||
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace

Confinement confine_process() {
  Confinement done;
  // Both ask for it: nobody gains rights again by running another program.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    done.by_landlock = confine_by_landlock();
    done.by_seccomp = confine_by_seccomp();
  }
  return done;
}

}  // namespace tutti::inline sim
