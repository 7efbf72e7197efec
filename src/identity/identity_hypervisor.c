/* SPDX-License-Identifier: MIT
 *
 * Is there a hypervisor, and which? In this order: CPUID (bit 31 of leaf 1 ECX announces the range from 40000000H),
 * /sys/hypervisor, the device tree, the firmware's names of maker and product. None of them has to tell the truth, so
 * not seeing one is never called "none".
 */
#include "identity_reader.h"
#include <string.h>

/* Signatures: Linux arch/x86/kernel/cpu/hypervisor.c and what it lists; bhyve: FreeBSD sys/amd64/vmm/x86.c; ACRN: its
 * developer guide; TCG: QEMU target/i386/cpu.c; Parallels, VirtualBox, QNX: systemd src/basic/virt.c. */
static const struct {
    const char signature[13], *name;
} signatures[] = {
    {"KVMKVMKVM\0\0\0", "KVM"},      {"Linux KVM Hv", "KVM"},       {"Microsoft Hv", "Hyper-V"},
    {"VMwareVMware", "VMware"},      {"XenVMMXenVMM", "Xen"},       {"ACRNACRNACRN", "ACRN"},
    {"bhyve bhyve ", "bhyve"},       {"BHyVE BHyVE ", "bhyve"},     {"TCGTCGTCGTCG", "QEMU TCG"},
    {" lrpepyh  vr", "Parallels"},   {"prl hyperv  ", "Parallels"}, {"VBoxVBoxVBox", "VirtualBox"},
    {"QNXQVMBSQG\0\0", "QNX"},       {"SRESRESRESRE", "SRE"},       {"Jailhouse\0\0\0", "Jailhouse"},
    {"IntelTDX    ", "Intel TDX"},   {"EVMMEVMMEVMM", "Intel KGT"}, {"___ NVMM ___", "NVMM"},
    {"OpenBSDVMM58", "OpenBSD vmm"},
};

static const char *name_of(const char signature[12])
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (!memcmp(signatures[i].signature, signature, 12))
            return signatures[i].name;
    return NULL;
}

static void read_signature(struct reader *r, uint32_t leaf, char out[12])
{
    uint32_t regs[4];
    reader_cpuid(r, leaf, 0, regs);
    for (int i = 0; i < 12; i++)
        out[i] = (char)(regs[1 + i / 4] >> 8 * (i % 4) & 0xff);
}

static struct identity_text printable(struct reader *r, const char signature[12])
{
    struct buf b = BUF_INIT(64);
    for (int i = 0; i < 12; i++)
        if (signature[i])
            buf_char(&b, signature[i] >= ' ' && signature[i] < 127 ? signature[i] : '?');
    if (b.len > 0)
        return text_of_buf(r, &b);
    buf_finish(&b);
    return text_unknown("its signature is empty");
}

/* KVM and Xen may speak Hyper-V's language at the base; their own signature then follows at a multiple of 100H. */
static void by_instruction(struct reader *r, struct identity_hypervisor *out)
{
    char signature[12], further[12];
    read_signature(r, 0x40000000, signature);
    const char *name = name_of(signature);
    if (name && !strcmp(name, "Hyper-V"))
        for (uint32_t leaf = 0x40000100; leaf <= 0x40000300; leaf += 0x100) {
            read_signature(r, leaf, further);
            const char *own = name_of(further);
            name = own && !strcmp(own, "KVM") ? "KVM" : own && !strcmp(own, "Xen") ? "Xen" : name;
        }
    out->state = HYPERVISOR_SEEN;
    out->name = name ? text_constant(name) : printable(r, signature);
    out->reasoning = name && !strcmp(name, "KVM")
                         ? "KVM's signature in CPUID leaf 40000000H, which Firecracker and others show too"
                         : "its signature in CPUID leaf 40000000H";
}

/* ---- what the firmware says ---- */

static bool contains(const struct identity_text *text, const char *part)
{
    return text->text && strstr(text->text, part);
}

/* Maker and product as machines of these kinds are known to be called; "" is anything. Names that a cloud gives to its
 * virtual and to its bare machines alike (Google Compute Engine) prove nothing and are not here. */
static const struct {
    const char *maker, *product, *name;
} firmware[] = {
    {"QEMU", "", "QEMU or KVM"},
    {"", "KVM", "KVM"},
    {"VMware", "", "VMware"},
    {"", "VMware", "VMware"},
    {"innotek", "", "VirtualBox"},
    {"", "VirtualBox", "VirtualBox"},
    {"Xen", "", "Xen"},
    {"Parallels", "", "Parallels"},
    {"", "BHYVE", "bhyve"},
    {"Bochs", "", "Bochs"},
    {"Microsoft", "Virtual", "Hyper-V"},
    {"Apple", "Virtual", "Apple Virtualization"},
    {"OpenStack", "", "OpenStack"},
    {"Alibaba Cloud", "ECS", "Alibaba Cloud"},
};

static const char *by_firmware(const struct identity *id)
{
    for (size_t i = 0; i < sizeof firmware / sizeof *firmware; i++)
        if ((!*firmware[i].maker || contains(&id->maker, firmware[i].maker)) &&
            (!*firmware[i].product || contains(&id->product, firmware[i].product)))
            return firmware[i].name;
    bool metal = contains(&id->product, "metal");
    return contains(&id->maker, "Amazon EC2") && id->product.text && !metal ? "Nitro (KVM)" : NULL;
}

/* linux,dummy-virt: the board without hardware that QEMU, Firecracker and others give to guests (QEMU, hw/arm/virt.c). */
static const char *by_tree(struct reader *r)
{
    const char *text = reader_file_start(r, "/sys/hypervisor/type", 256);
    if (text && !strncmp(text, "xen", 3))
        return "Xen";
    text = reader_file_start(r, "/sys/firmware/devicetree/base/hypervisor/compatible", 256);
    if (text)
        return strstr(text, "kvm") ? "KVM" : strstr(text, "xen") ? "Xen" : strstr(text, "vmware") ? "VMware" : NULL;
    text = reader_file_start(r, "/sys/firmware/devicetree/base/compatible", 256);
    return text && strstr(text, "linux,dummy-virt") ? "KVM or QEMU" : NULL;
}

static void seen(struct identity_hypervisor *out, const char *name, const char *reasoning)
{
    *out = (struct identity_hypervisor){HYPERVISOR_SEEN, text_constant(name), reasoning};
}

static void not_seen(struct reader *r, struct identity_hypervisor *out, const struct identity *id)
{
    bool asked = r->x86 || id->maker.text || id->product.text || reader_file_start(r, "/sys/firmware/devicetree/base/model", 256);
    out->name = text_unknown("none is seen");
    out->state = asked ? HYPERVISOR_NOT_SEEN : HYPERVISOR_UNKNOWN;
    if (!asked)
        out->reasoning = "neither the processor nor the firmware could be asked";
    else if (r->x86)
        out->reasoning = "neither CPUID nor the firmware shows one; a hypervisor may hide";
    else
        out->reasoning = "the firmware shows none; this processor cannot tell";
}

void identity_hypervisor(struct reader *r, struct identity *id)
{
    struct identity_hypervisor *out = &id->hypervisor;
    const char *tree = by_tree(r), *named = tree ? tree : by_firmware(id);
    if (r->hypervisor_bit && r->max_leaf)
        by_instruction(r, out);
    else if (named)
        seen(out, named, tree ? "the system names it" : "the firmware's maker and product name it");
    else if (r->hypervisor_bit)
        *out = (struct identity_hypervisor){HYPERVISOR_SEEN, text_unknown("only the flag in /proc/cpuinfo is seen"),
                                            "the hypervisor flag in /proc/cpuinfo"};
    else
        not_seen(r, out, id);
}
